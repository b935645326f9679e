// The stories of an approver with many tasks, at a desk and on a phone, and of an auditor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE as INBOX, finish, look, person, says } from "./kit.mjs";

const { ADMIN, PICTURES } = process.env;

async function api(method, path, body, status) {
	const reply = await fetch(new URL("/v1/wf/" + path, INBOX), {
		method, headers: { "Content-Type": "application/json", Authorization: "Bearer " + ADMIN }, body: JSON.stringify(body),
	});
	const text = await reply.text();
	assert.equal(reply.status, status, text);
	return JSON.parse(text).response;
}
const ada = await person("Ada Osei");

// Twenty payments in the order of their age: each takes a decision and the key to the next one.
await api("POST", "policies", {
	policy_key: "pay", name: "Payment", settings: { summary: ["/amount", "/recipient", "/day"], expires_in: null },
	context_schema: { type: "object", properties: { amount: { type: "number", title: "Amount", "x-currency": "EUR" }, recipient: { type: "string", title: "Recipient" }, day: { type: "string", format: "date", title: "Payment date" } } },
	stages: [{ key: "lead", name: "Team lead", approvers: [{ type: "user", ids: ["tom"] }] }],
}, 201);
await ada.goto(INBOX + "/console/policies/pay/1/activate");
await ada.getByRole("button", { name: "Activate" }).click();
await ada.waitForURL(/note=activated/);
for (let i = 60; i >= 1; i--) {
	const title = i === 60 ? undefined : `Invoice ${i}`;
	await api("POST", "requests", { policy_key: "pay", title, context: { amount: i * 125.5, recipient: i % 2 ? "Nordlicht GmbH" : "Østfold Eiendom AS", day: "2027-06-01" } }, 201);
}
const pays = await person("Tom Lindqvist");
await pays.getByRole("link", { name: "Overview" }).click(); // the morning of an approver begins with what waits
await look(pays, "79-overview");
await pays.getByRole("link", { name: "60", exact: true }).click();
assert.match(await pays.title(), /^\(60\) My work/);
for (const [label, option] of [["Policy", "Payment (60)"], ["Order", "Oldest first"]]) {
	await pays.getByRole("button", { name: "Filters" }).click();
	await pays.getByLabel(label).selectOption({ label: option });
	await pays.locator("#filters").getByRole("button", { name: "Search" }).click();
	await pays.getByRole("link", { name: `${label}: ${option}` }).waitFor();
}
assert.match(await pays.title(), /^\(60\) My work/);
const filter = pays.url(); // the filter is in the address
await pays.goto(INBOX);
await pays.goto(filter);
assert.match(await pays.title(), /^\(60\) My work/);
await look(pays, "80-tasks-with-facts");
await pays.setViewportSize({ width: 1280, height: 800 });
const rows = await pays.evaluate(() => [...document.querySelectorAll("[data-row]")].map((row) => row.getBoundingClientRect()).map((r) => [r.height, r.bottom]));
assert.ok(Math.max(...rows.map(([height]) => height)) <= 45, `rows of ${rows[0]}`); // with their line
assert.ok(rows.filter(([, bottom]) => bottom <= 800).length >= 12, `${rows.filter(([, bottom]) => bottom <= 800).length} tasks on 800 px`);
let acts = 0;
const act = (step) => { acts++; return step; };
await act(pays.locator("a.row-title").first().click());
await says(pays, "Amount 7,530 EUR, Recipient Østfold Eiendom AS"); // the title of a request without one
for (const width of [360, 1280]) { // decided without scrolling
	await pays.setViewportSize({ width, height: 800 });
	for (const part of [pays.getByLabel("Comment", { exact: false }).first(), pays.getByRole("button", { name: "Approve" }), pays.getByRole("button", { name: "Reject" })]) {
		const box = await part.boundingBox();
		assert.ok(box.y >= 0 && box.y + box.height <= 800, `at ${width}: ${box.y}`);
	}
}
for (let left = 59; left >= 35; left--) {
	await act(pays.getByRole("button", { name: "Approve" }).click());
	await pays.waitForURL(/note=approve/);
	await says(pays, `Approved. Next: Invoice ${left} (${left} left)`);
	if (left === 59) await look(pays, "81-the-next-task");
	if (left === 40) assert.ok(acts <= 40, `20 decisions take ${acts} actions`);
	if (left === 35) break;
	await act(pays.keyboard.press("n"));
	await pays.waitForURL((url) => !url.searchParams.has("note"));
}
assert.ok(acts <= 50, `25 decisions take ${acts} actions`);
await pays.getByRole("link", { name: "My work" }).last().click();
await pays.getByRole("button", { name: "Select all on this page" }).click();
assert.equal(await pays.locator("input[name=task]:checked").count(), 35);
await says(pays, "With the 35 selected");
await look(pays, "82-all-selected");
await pays.getByRole("button", { name: "Reject" }).click();
await says(pays, "Result: 35 rejected, 0 not");
await look(pays, "83-results");

// On a phone: the first task is near the top, and a bar at the bottom decides.
for (let i = 1; i <= 3; i++) await api("POST", "requests", { policy_key: "pay", title: `Invoice of May ${i}`, context: { amount: i, recipient: "Nordlicht GmbH" } }, 201);
const phone = await person("Tom Lindqvist", { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
const picture = (name) => phone.screenshot({ path: join(PICTURES, name + ".png") });
const top = (await phone.locator("[data-row]").first().boundingBox()).y;
assert.ok(top <= 220, `the first task is at ${top} px`);
const header = (await phone.locator("header.top").boundingBox()).height;
assert.ok(header <= 60, `the header is ${header} px high`);
await look(phone, "84-phone-list");
await phone.getByRole("button", { name: "Menu" }).click();
await phone.getByRole("link", { name: "New request" }).waitFor();
await picture("85-phone-menu");
await phone.keyboard.press("Escape");
await phone.getByLabel("Search by title or reference").fill("may 2");
await picture("86-phone-filter");
await phone.getByRole("button", { name: "Search", exact: true }).click();
await phone.locator("input[name=task]").first().check();
await picture("87-phone-selected");
await phone.getByRole("link", { name: "Invoice of May 2" }).click();
for (const name of ["Approve", "Reject", "More"]) {
	const box = await phone.getByText(name, { exact: true }).boundingBox();
	assert.ok(box.y > 560 && box.y + box.height <= 640, `${name} is at ${box.y}`);
}
await picture("88-phone-request");
await phone.getByText("More", { exact: true }).click();
await phone.getByRole("button", { name: "Request changes" }).waitFor();
await look(phone, "89-phone-more");
await phone.getByRole("button", { name: "Approve" }).click();
await says(phone, "Approved.");
await look(phone, "90-phone-approved");

// The morning of an auditor, in at most 12 actions: the approvals, whether the trail is whole, the file of a request, its
// receipt, and the time that decisions take.
const vera = await person();
await vera.getByText("Another user").click();
await vera.getByLabel("User id").fill("vera");
await vera.getByLabel("WF_VIEWER", { exact: false }).check();
await vera.getByRole("button", { name: "Sign in" }).click();
const audit = vera.getByRole("navigation").getByRole("link", { name: "Audit" });
const saved = async (click) => {
	const [file] = await Promise.all([vera.waitForEvent("download"), click]);
	return readFileSync(await file.path(), "utf8");
};
acts = 0;
await act(vera.getByRole("link", { name: "Console" }).click());
await act(audit.click());
await act(vera.getByRole("button", { name: "Filters" }).click());
await act(vera.getByLabel("Event").selectOption({ value: "task.decided" }));
await act(vera.locator("#filters").getByRole("button", { name: "Search" }).click());
await says(vera, "Tom Lindqvist approved");
await look(vera, "91-decisions");
await act(vera.getByRole("link", { name: "Verify" }).click());
await says(vera, ": none modified");
assert.match(await saved(act(vera.getByRole("link", { name: "Trail (NDJSON)" }).click())), /\{"end":[^\n]*\n$/);
await act(vera.getByRole("link", { name: "Invoice of May 2" }).first().click());
await says(vera, "Tom Lindqvist approved");
assert.match(await saved(act(vera.getByRole("link", { name: "Trail (NDJSON)" }).click())), /"request.approved"/);
assert.equal((await saved(act(vera.getByRole("link", { name: "Receipt" }).click()))).split(".").length, 3);
await act(vera.getByRole("link", { name: "Overview" }).click());
await says(vera, "Policies, last 30 days");
await look(vera, "92-overview");
assert.ok(acts <= 12, `an audit takes ${acts} actions`);

await finish();
