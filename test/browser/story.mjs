// The story of a request, by clicking, and every page in every dress.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const { INBOX, CHROMIUM, PICTURES, MODULES } = process.env;
const require = createRequire(join(MODULES, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const host = new URL(INBOX).host;
const problems = [];
const refusals = []; // what the content security policy of a page has refused
rmSync(PICTURES, { recursive: true, force: true }); // those of the last run
mkdirSync(PICTURES, { recursive: true });

const browser = await chromium.launch({
	executablePath: CHROMIUM,
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});

// person is a browser in which somebody has signed in.
async function person(name, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, timezoneId: "Europe/Paris", locale: "en-GB", ...options });
	await context.exposeFunction("refusedByPolicy", (what) => refusals.push(what));
	await context.addInitScript(() => addEventListener("securitypolicyviolation", (e) => window.refusedByPolicy(`${location.href}: ${e.effectiveDirective} refuses ${e.blockedURI} ${e.sample}`)));
	const page = await context.newPage();
	page.on("pageerror", (e) => problems.push(`${page.url()}: ${e}`));
	page.on("console", (m) => m.type() === "error" && !/status of 4\d\d/.test(m.text()) && !page.context().provoked && problems.push(`${page.url()}: ${m.text()}`));
	page.on("request", (r) => new URL(r.url()).host !== host && !page.context().provoked && problems.push(`${page.url()} asks ${r.url()}`));
	await page.goto(INBOX);
	if (name) await page.getByRole("button", { name }).click();
	return page;
}

// look finds what axe-core says of a page, and that nothing is wider than the screen.
async function look(page, picture) {
	if (page.context().scripts !== false) {
		await page.evaluate(axe + ";undefined");
		const { violations } = await page.evaluate(() => window.axe.run());
		for (const v of violations) problems.push(`${picture} ${page.url()}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")}`);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
		if (over > 0) problems.push(`${picture} ${page.url()}: ${over} px too wide`);
	}
	if (picture) await page.screenshot({ path: join(PICTURES, picture + ".png"), fullPage: true });
}

const says = async (page, text) => assert.ok((await page.textContent("body")).includes(text), `${page.url()} does not say ${text}`);

// Mia asks for leave.
const mia = await person("Mia Keller");
await look(mia, "01-nothing-to-do");
await mia.getByRole("link", { name: "Ask for something" }).click();
await look(mia, "02-ask");
await mia.getByRole("link", { name: "Leave" }).click();
await mia.getByRole("button", { name: "See who will be asked" }).click();
await look(mia, "03-errors-at-the-fields");
await mia.getByLabel("In a few words").fill("Three weeks in June");
await mia.getByLabel("Kind of leave").selectOption({ label: "Holiday" });
await mia.getByLabel("First day").fill("2027-06-01");
await mia.getByLabel("Last day").fill("2027-06-21");
await mia.getByLabel("Working days").fill("15");
await mia.getByRole("button", { name: "See who will be asked" }).click();
await says(mia, "Tom Lindqvist");
await look(mia, "04-who-will-be-asked");
await mia.getByRole("button", { name: "Send it" }).click();
await says(mia, "Your request is on its way");
const request = mia.url().split("?")[0];
await look(mia, "05-asked");

// And for laptops, with a list.
await mia.goto(INBOX + "/ask/purchase");
await mia.getByLabel("In a few words").fill("Laptops for the field team");
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
await mia.getByRole("button", { name: "See who will be asked" }).click();
await mia.getByRole("button", { name: "Send it" }).click();
const purchase = mia.url().split("?")[0];
await mia.goto(INBOX + "/mine");
await look(mia, "06-my-requests");
await mia.goto(INBOX + "/away");
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
await says(tom, "You have approved this");
await look(tom, "10-approved");

// Ines takes what waits for somebody, and decides.
const ines = await person("Inès Moreau");
await look(ines, "11-what-ines-could-take");
await ines.goto(request);
await ines.getByRole("button", { name: "Take" }).click();
await ines.getByLabel("Comment", { exact: true }).fill("Enjoy the lakes!");
await ines.getByRole("button", { name: "Approve" }).click();
await says(ines, "Approved");
await look(ines, "12-it-is-approved");
await ines.goto(purchase);
await ines.getByRole("button", { name: "Approve" }).click(); // without the data of the stage
await says(ines, "Please fill this in");
await look(ines, "13-data-is-missing");
await ines.getByLabel("Cost centre").fill("4711");
await ines.getByLabel("Comment", { exact: true }).fill("Within the budget of this year");
await ines.getByRole("button", { name: "Approve" }).click();
await ines.getByLabel("Say something").fill("Delivery is in two weeks.");
await ines.getByRole("button", { name: "Comment" }).click();
await look(ines, "14-a-comment");

// Ada finds out who did what.
const ada = await person("Ada Osei");
const console_ = ["console", "console/policies", "console/policies/purchase", "console/endpoints", "console/deliveries", "console/audit?verify=yes", "console/health"];
for (const [i, path] of console_.entries()) {
	await ada.goto(INBOX + "/" + path);
	await look(ada, `${15 + i}-${path.replace(/[/?=]/g, "-")}`);
}
await ada.goto(INBOX + "/console/audit?verify=yes");
await says(ada, "Nobody has changed anything");
await ada.goto(request);
await says(ada, "Inès Moreau");
await ada.goto(INBOX + "/requests/00000000-0000-7000-8000-000000000000");
await look(ada, "22-no-such-request");

// What somebody has typed outlives their session.
const late = await person("Tom Lindqvist");
await late.goto(purchase);
await late.getByLabel("Comment", { exact: true }).fill("A long thought");
await late.context().clearCookies({ name: "wf_session" });
await late.getByRole("button", { name: "Approve" }).click();
await says(late, "A long thought");
await look(late, "23-what-was-typed-is-kept");

// Every page in other dresses.
const dresses = {
	narrow: { viewport: { width: 320, height: 700 } },
	dark: { colorScheme: "dark" },
	french: { locale: "fr-FR" },
	large: { viewport: { width: 640, height: 700 }, deviceScaleFactor: 2 }, // as at 200 %
};
const pages = ["", "ask", "ask/purchase", "mine", "away", "console", "console/policies/purchase", "console/audit", purchase, request];
for (const [dress, options] of Object.entries(dresses)) {
	const page = await person("Ada Osei", options);
	for (const [i, path] of pages.entries()) {
		await page.goto(path.startsWith("http") ? path : `${INBOX}/${path}`.replace(/\/$/, ""));
		await look(page, `${dress}-${String(i).padStart(2, "0")}`);
	}
	const tomToo = await person("Tom Lindqvist", options);
	await look(tomToo, `${dress}-work`);
	await tomToo.goto(purchase);
	await look(tomToo, `${dress}-turn`);
}

// Without scripts.
const plain = await person("Tom Lindqvist", { javaScriptEnabled: false });
plain.context().scripts = false;
await look(plain, "plain-work");
await plain.getByRole("link", { name: "Laptops" }).click();
await plain.getByLabel("Comment", { exact: true }).fill("All right");
await plain.getByRole("button", { name: "Approve" }).click();
await says(plain, "You have approved this");
await look(plain, "plain-approved");

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

await browser.close();
for (const problem of problems) console.error(problem);
console.log(`${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
