// The story of a request, by clicking, and every page in every dress.
import assert from "node:assert/strict";
import { BASE as INBOX, browser, finish, look, person, problems, refusals, says, tab, walk } from "./kit.mjs";

const { ADMIN } = process.env;

// Mia asks for leave.
const mia = await person("Mia Keller");
await look(mia, "01-nothing-to-do");
await mia.getByRole("link", { name: "New request" }).click();
await look(mia, "02-ask");
await mia.getByRole("link", { name: "Leave" }).click();
await mia.getByRole("button", { name: "Continue" }).click();
await look(mia, "03-errors-at-the-fields");
await mia.getByLabel("Title").fill("Three weeks in June");
await mia.getByLabel("Kind of leave").selectOption({ label: "Holiday" });
await mia.getByLabel("First day").fill("2027-06-01");
await mia.getByLabel("Last day").fill("2027-05-21");
await mia.getByLabel("Working days").fill("15");
await mia.getByRole("button", { name: "Continue" }).click();
await mia.getByRole("link", { name: "Last day: Last day is before the first day" }).click(); // a check of the policy
assert.equal(await mia.evaluate(() => document.activeElement.id), "c/until");
await look(mia, "03-a-check-of-the-policy");
await mia.getByLabel("Last day").fill("2027-06-20");
await mia.getByRole("button", { name: "Continue" }).click();
await mia.getByRole("button", { name: "Change Last day" }).click();
assert.equal(await mia.getByLabel("Last day").inputValue(), "2027-06-20");
await mia.getByLabel("Last day").fill("2027-06-21");
await mia.getByRole("button", { name: "Continue" }).click();
await says(mia, "Tom Lindqvist");
await says(mia, "21 June 2027");
await look(mia, "04-who-will-be-asked");
await mia.getByRole("button", { name: "Submit" }).click();
await says(mia, "Request submitted");
const request = mia.url().split("?")[0];
await look(mia, "05-asked");

// And for laptops, with a list.
await mia.goto(INBOX + "/new/purchase");
await mia.getByLabel("Title").fill("Laptops for the field team");
await mia.getByLabel("Name", { exact: true }).fill("Nordlicht GmbH");
await mia.getByLabel("Item", { exact: true }).fill("Laptop 14″");
await mia.getByLabel("Quantity (optional)").fill("12");
await mia.getByLabel("Price").fill("1249.50");
await mia.getByRole("button", { name: "Add another" }).click();
await mia.locator("[name='c/lines/1/item']").fill("Docking station");
await mia.locator("[name='c/lines/1/quantity']").fill("12");
await mia.locator("[name='c/lines/1/price']").fill("189");
await mia.getByLabel("Total").fill("17262");
await mia.getByText("More", { exact: true }).click();
await mia.getByLabel("Priority").selectOption("high");
await mia.getByRole("button", { name: "Continue" }).click();
await mia.getByRole("button", { name: "Submit" }).click();
const purchase = mia.url().split("?")[0];
await mia.goto(INBOX + "/mine");
await look(mia, "06-my-requests");
await mia.goto(INBOX + "/delegations");
await look(mia, "07-out-of-office");

// Tom decides with the keyboard alone.
const tom = await person("Tom Lindqvist");
assert.match(await tom.title(), /^\(2\) My work/);
await look(tom, "08-my-work");
await tom.goto(request);
await look(tom, "09-a-request");
await tom.goto(INBOX);
await tom.keyboard.press("j");
await tom.keyboard.press("j");
await tom.keyboard.press("a");
await tom.waitForURL(/requests/);
await tom.waitForFunction(() => document.activeElement?.value === "approve");
await tom.keyboard.press("Enter");
await tom.waitForURL(/note=approve/);
await says(tom, "Approved. Next:");
await look(tom, "10-approved");

// Ines takes what waits for somebody, and decides.
const ines = await person("Inès Moreau");
await look(ines, "11-what-ines-could-take");
await ines.goto(request);
await ines.getByRole("button", { name: "Claim" }).click();
await ines.getByText("Reassign", { exact: true }).click();
await look(ines, "26-hand-it-on");
await ines.getByLabel("Comment", { exact: true }).fill("Enjoy the lakes!");
await ines.getByRole("button", { name: "Approve" }).click();
await says(ines, "Approved");
await look(ines, "12-it-is-approved");
await ines.goto(purchase);
await ines.getByRole("button", { name: "Approve" }).click(); // without the data of the stage
await says(ines, "This field is required");
await look(ines, "13-data-is-missing");
await ines.getByLabel("Cost centre").fill("4711");
await ines.getByLabel("Comment", { exact: true }).fill("Within the budget of this year");
await ines.getByRole("button", { name: "Approve" }).click();
await ines.getByLabel("Comment to all participants").fill("Delivery is in two weeks.");
await ines.getByRole("button", { name: "Add comment" }).click();
await look(ines, "14-a-comment");

// Tom has Mia change another purchase, and sees what she has changed.
const asks = async (title, total, item) => {
	await mia.goto(INBOX + "/new/purchase");
	await mia.getByLabel("Title").fill(title);
	await mia.getByLabel("Name", { exact: true }).fill("Nordlicht GmbH");
	await mia.getByLabel("Item", { exact: true }).fill(item);
	await mia.getByLabel("Price").fill(total);
	await mia.getByLabel("Total").fill(total);
	await mia.getByRole("button", { name: "Continue" }).click();
	await mia.getByRole("button", { name: "Submit" }).click();
	return mia.url().split("?")[0];
};
const changed = await asks("Chairs for the office", "2400", "Chair");
await tom.goto(changed);
await tom.getByLabel("Comment", { exact: true }).fill("Plain ones, please");
await tom.getByRole("button", { name: "Request changes" }).click();
await says(tom, "You requested changes");
await mia.goto(changed + "/change");
await look(mia, "24-answer");
await mia.getByLabel("Item", { exact: true }).fill("Chair, plain");
await mia.getByLabel("Price").fill("1800");
await mia.getByLabel("Total").fill("1800");
await mia.getByRole("button", { name: "Continue" }).click();
await look(mia, "24-check-the-answer");
await mia.getByRole("button", { name: "Resubmit" }).click();
await tom.goto(changed);
await says(tom, "Changes since revision 1");
await look(tom, "25-what-has-changed");

// Tom finds a delegate, who may decide for him until he ends the delegation.
await tom.goto(INBOX + "/delegations");
await tom.getByLabel("Delegate", { exact: true }).fill("ine");
await tom.waitForFunction(() => document.querySelector("#to").list.options.length > 0);
await tom.getByLabel("Delegate", { exact: true }).fill("ines");
await tom.getByLabel("Last day").fill(new Date(Date.now() + 7 * 86400e3).toISOString().slice(0, 10));
await tom.getByRole("button", { name: "Save" }).click();
await says(tom, "Inès Moreau");
await look(tom, "27-a-delegate");
await ines.goto(changed);
await says(ines, "for Tom Lindqvist");
await look(ines, "27-a-task-of-a-delegator");
await tom.getByRole("button", { name: /^End/ }).click();
await says(tom, "Ended early");

// Mia asks for leave with the keyboard alone.
const keys = await person("Mia Keller");
await tab(keys, "New request");
await keys.keyboard.press("Enter");
await keys.waitForURL(/new$/);
await tab(keys, "Leave");
await keys.keyboard.press("Enter");
await keys.waitForURL(/time-off/);
await tab(keys, "Title");
await keys.keyboard.type("A day off");
await tab(keys, "Kind of leave");
await keys.keyboard.press("h");
await tab(keys, "First day");
await keys.keyboard.type("01032027");
await tab(keys, "Last day");
await keys.keyboard.type("01032027");
await tab(keys, "Working days");
await keys.keyboard.type("1");
await tab(keys, "Continue");
await keys.keyboard.press("Enter");
await keys.waitForFunction(() => document.body.innerText.includes("in this order"));
await tab(keys, "Submit");
await keys.keyboard.press("Enter");
await keys.waitForURL(/note=submitted/);
await look(keys, "28-asked-with-the-keyboard");

// Another version of the policy: its changes.
const put = await fetch(new URL("/v1/wf/policies/purchase", INBOX), {
	method: "PUT", headers: { "Content-Type": "application/json", Authorization: "Bearer " + ADMIN },
	body: JSON.stringify({
		name: "Purchase", description: "Anything that costs money.", artifact_type: "purchase", change_note: "Ada decides with Tom, and the auditors read along.",
		settings: { require_comment: { reject: true } },
		stages: [
			{ key: "lead", name: "Team lead", approvers: [{ type: "user", ids: ["tom"] }, { type: "user", ids: ["ada"] }], quorum: { mode: "any" }, observers: [{ type: "user", ids: ["vera"] }] },
			{ key: "legal", name: "Legal", assignment: "pool", approvers: [{ type: "user", ids: ["luc", "lea"], label: "legal desk" }], quorum: { mode: "any" } },
		],
	}),
});
assert.equal(put.status, 201, await put.text());

// Ada finds out who did what.
const ada = await person("Ada Osei");
const console_ = ["console", "console/policies", "console/policies/purchase", "console/endpoints", "console/deliveries", "console/audit?verify=yes", "console/health"];
const later = ["console/policies/purchase/2", "console/policies/purchase/2/activate", "console/policies/purchase/1/simulate?request=" + changed.split("/").pop()];
for (const [i, path] of console_.entries()) {
	await ada.goto(INBOX + "/" + path);
	await look(ada, `${15 + i}-${path.replace(/[/?=]/g, "-")}`);
}
for (const [i, path] of later.entries()) {
	await ada.goto(INBOX + "/" + path);
	await look(ada, `${30 + i}-${path.replace(/[/?=]/g, "-").slice(0, 40)}`);
}
await ada.getByRole("button", { name: "Simulate", exact: true }).click();
await says(ada, "would start");
await look(ada, "34-simulated");
await ada.goto(INBOX + "/console/endpoints");
await ada.getByLabel("Name", { exact: true }).fill("ledger");
await ada.getByLabel("URL").fill("https://ledger.example.org/hook");
await ada.getByRole("button", { name: "Add" }).click();
await says(ada, "The secret of ledger");
await look(ada, "35-an-endpoint");
await ada.getByRole("button", { name: "Test" }).click();
await ada.goto(INBOX + "/console/deliveries");
await look(ada, "36-a-delivery");
await ada.goto(INBOX + "/console/policies/purchase/2/activate");
await ada.getByRole("button", { name: "Activate", exact: true }).click();
await says(ada, "New requests use this version");
await mia.goto(INBOX + "/mine?status=part");
await look(mia, "37-what-i-have-a-part-in");
await ada.goto(INBOX + "/console/audit?verify=yes");
await says(ada, ": none modified");
await ada.goto(request);
await says(ada, "Inès Moreau");
await ada.goto(INBOX + "/requests/00000000-0000-7000-8000-000000000000");
await look(ada, "22-no-such-request");

// A form without a session leads to the sign-in.
const late = await person("Tom Lindqvist");
await late.goto(purchase);
await late.getByLabel("Comment", { exact: true }).fill("A long thought");
await late.context().clearCookies({ name: "wf_session" });
await late.getByRole("button", { name: "Approve" }).click();
await late.waitForURL(/signin\?to=/);
await look(late, "23-sign-in-after-the-session");

// A decision with an error keeps the entries, and the browser asks before they are lost.
const asksLeave = async (title) => {
	await mia.goto(INBOX + "/new/time-off");
	for (const [label, text] of [["Title", title], ["First day", "2027-06-01"], ["Last day", "2027-06-02"], ["Working days", "2"]]) await mia.getByLabel(label).fill(text);
	await mia.getByLabel("Kind of leave").selectOption({ label: "Holiday" });
	await mia.getByRole("button", { name: "Continue" }).click();
	await mia.getByRole("button", { name: "Submit" }).click();
	await says(mia, "Request submitted");
	return mia.url().split("?")[0];
};
const june = await asksLeave("Two days in June");
const writes = await person("Tom Lindqvist");
await writes.goto(june);
await writes.getByLabel("Comment to all participants").fill("Which lake?");
await writes.getByLabel("Comment", { exact: true }).fill("x".repeat(4097)); // as pasted
await says(writes, "Characters too many: 1");
await writes.getByRole("button", { name: "Approve" }).click();
await says(writes, "At most 4096 characters. This text has 4097.");
assert.match(await writes.title(), /^Error: /);
await writes.waitForFunction(() => document.activeElement?.matches(".problem"));
await look(writes, "70-too-long");
await writes.getByRole("link", { name: "Comment: At most" }).click();
assert.equal(await writes.evaluate(() => document.activeElement?.id), "comment");
await writes.getByLabel("Comment", { exact: true }).fill("A long thought");
const holds = async (page, texts) => {
	for (const [name, text] of Object.entries(texts)) assert.equal(await page.locator(`[name='${name}']`).inputValue(), text, `${page.url()} has lost ${name}`);
};
await holds(writes, { comment: "A long thought", text: "Which lake?" });
const question = writes.waitForEvent("dialog");
const leaves = writes.getByRole("link", { name: "My requests" }).click({ noWaitAfter: true });
const shown = await question;
assert.equal(shown.type(), "beforeunload");
await shown.dismiss();
await leaves;
await holds(writes, { comment: "A long thought", text: "Which lake?" });
await look(writes, "72-kept");
await writes.getByRole("button", { name: "Add comment" }).click();
await says(writes, "Comment added");
await writes.getByRole("button", { name: "Approve" }).click();
await says(writes, "You approved");

// The result of several decisions.
await asksLeave("Two days in July");
const bulk = await person("Tom Lindqvist");
await bulk.getByLabel("Select Two days in July").check();
await bulk.getByLabel("Comment (optional)").fill("Bright ones");
await bulk.getByLabel("Comment (optional)").press("Enter"); // a line end
await bulk.getByRole("button", { name: "Approve" }).click();
await says(bulk, "Result: 1 approved, 0 not");
await look(bulk, "73-result");

// Keys, and none.
const inRow = () => bulk.evaluate(() => !!document.activeElement.closest("[data-row]"));
await bulk.goto(INBOX);
await bulk.keyboard.press("j");
assert.ok(await inRow(), "the key does not move");
await bulk.keyboard.press("x");
assert.equal(await bulk.locator("input[name=task]:checked").count(), 1);
await bulk.goto(INBOX + "/settings");
await bulk.getByLabel("Use shortcuts of a single key").uncheck();
await bulk.getByRole("button", { name: "Save" }).click();
await says(bulk, "Saved");
await look(bulk, "74-keys");
await bulk.goto(INBOX);
await bulk.keyboard.press("j");
assert.ok(!(await inRow()), "a shortcut works although all are switched off");

// Every page in other dresses.
const dresses = {
	narrow: { viewport: { width: 320, height: 700 } },
	dark: { colorScheme: "dark" },
	french: { locale: "fr-FR" },
	zoomed: { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 }, // as at 400 %
	large: { viewport: { width: 640, height: 700 }, deviceScaleFactor: 2 }, // as at 200 %
};
const pages = ["", "start", "new", "new/time-off", "mine", "delegations", "settings", "console", "console/policies/time-off", "console/audit", purchase, request, changed,
	"console/policies", "console/policies/purchase/1/activate", "console/policies/purchase/1/simulate", "console/endpoints", "console/deliveries", "console/health"];
for (const [dress, options] of Object.entries(dresses)) {
	const page = await person("Ada Osei", options);
	for (const [i, path] of pages.entries()) {
		await page.goto(path.startsWith("http") ? path : `${INBOX}/${path}`.replace(/\/$/, ""));
		await look(page, `${dress}-${String(i).padStart(2, "0")}`);
	}
	const tomToo = await person("Tom Lindqvist", options);
	await look(tomToo, `${dress}-work`);
	await tomToo.locator("input[name=task]").first().check();
	if (dress === "zoomed" || dress === "large") await walk(tomToo, dress);
	await look(tomToo, `${dress}-selected`);
	await tomToo.goto(purchase);
	await look(tomToo, `${dress}-turn`);
	if (dress === "zoomed") await walk(tomToo, dress);
	await page.context().close();
	await tomToo.context().close();
}

// On paper.
await tom.goto(changed);
await tom.emulateMedia({ media: "print" });
await look(tom, "paper-a-request");
await tom.emulateMedia({ media: null });
await ada.goto(INBOX + "/console/policies/purchase");
await ada.emulateMedia({ media: "print", colorScheme: "dark" });
await look(ada, "paper-a-policy");
await ada.emulateMedia({ media: null, colorScheme: null });

// Without scripts.
const plain = await person("Tom Lindqvist", { javaScriptEnabled: false });
plain.context().scripts = false;
await look(plain, "plain-work");
await plain.getByRole("link", { name: "Laptops" }).click();
await plain.getByLabel("Comment", { exact: true }).fill("All right");
await plain.getByRole("button", { name: "Approve" }).click();
await says(plain, "Approved.");
await look(plain, "plain-approved");
await plain.goto(INBOX + "/delegations");
await plain.getByLabel("Delegate", { exact: true }).fill("Ada");
await plain.getByRole("button", { name: "Find" }).click();
await says(plain, "Ada Osei");
await look(plain, "plain-found");

// Due dates, escalation, and the end of approvals.
async function api(method, path, body, status) {
	const reply = await fetch(new URL("/v1/wf/" + path, INBOX), {
		method, headers: { "Content-Type": "application/json", Authorization: "Bearer " + ADMIN }, body: JSON.stringify(body),
	});
	const text = await reply.text();
	assert.equal(reply.status, status, text);
	return JSON.parse(text).response;
}
async function reload(page, text) {
	for (let i = 0; i < 50 && !(await page.content()).includes(text); i++) {
		await page.waitForTimeout(200);
		await page.reload();
	}
	await says(page, text);
}
await api("POST", "policies", {
	policy_key: "dated", name: "Dated", stages: [{
		key: "lead", name: "Lead", approvers: [{ type: "user", ids: ["tom"] }],
		deadline: { due_cel: "timestamp(context.due)", on_due: "escalate", escalate_to: [{ type: "user", ids: ["ines"] }] },
	}],
}, 201);
await api("POST", "policies", {
	policy_key: "ended", name: "Ended", settings: { auto_approve_when: "true", validity: { until_cel: "timestamp(context.until)" } },
	stages: [{ key: "lead", name: "Lead", approvers: [{ type: "user", ids: ["tom"] }] }],
}, 201);
for (const key of ["dated", "ended"]) {
	await ada.goto(INBOX + `/console/policies/${key}/1/activate`);
	await ada.getByRole("button", { name: "Activate" }).click();
	await ada.waitForURL(/note=activated/);
}
const overdue = await api("POST", "requests", { policy_key: "dated", title: "An overdue one", context: { due: "2020-01-01T00:00:00Z" } }, 201);
const asked = await person("Tom Lindqvist");
await reload(asked, "Overdue");
await look(asked, "60-overdue-row");
const added = await person("Inès Moreau");
await reload(added, "An overdue one");
await look(added, "61-escalated-row");
await added.goto(INBOX + "/requests/" + overdue.id);
await says(added, "added by escalation");
await look(added, "62-escalated-task");
await api("PATCH", `requests/${overdue.id}/stages/lead`, { due_at: new Date(Date.now() + 864e5).toISOString(), reason: "audit week" }, 200);
await reload(added, "moved the due date of stage Lead from");
await look(added, "63-moved-date");
const lapses = await api("POST", "requests", { policy_key: "ended", title: "A lapsed one", context: { until: new Date(Date.now() + 2e3).toISOString() } }, 201);
const revoked = await api("POST", "requests", { policy_key: "ended", title: "A revoked one", context: { until: "2090-01-01T00:00:00Z" } }, 201);
await api("POST", `requests/${revoked.id}/revoke`, { reason: "supplier suspended" }, 200);
await ada.goto(INBOX + "/requests/" + revoked.id);
await says(ada, "revoked the approval");
await look(ada, "64-revoked");
await ada.goto(INBOX + "/requests/" + lapses.id);
await reload(ada, "The approval has lapsed");
await look(ada, "65-lapsed");

// What every page has reported of its content security policy is nothing; and it would report.
problems.push(...refusals.splice(0));
const hostile = await person("Tom Lindqvist");
hostile.context().provoked = true;
await hostile.evaluate(() => {
	for (const [kind, text] of [["script", "window.ran = true"], ["style", "body { display: none }"]]) {
		const e = document.createElement(kind);
		e.textContent = text;
		document.body.append(e);
	}
	const image = document.createElement("img");
	image.src = "https://elsewhere.invalid/x.png";
	document.body.append(image);
});
for (let i = 0; i < 50 && refusals.length < 3; i++) await hostile.waitForTimeout(100);
assert.ok(!(await hostile.evaluate(() => window.ran)), "a script without the nonce runs");
for (const directive of ["script-src-elem", "style-src-elem", "img-src"]) assert.ok(refusals.some((r) => r.includes(directive)), `${directive} is not reported: ${refusals}`);

await finish();
