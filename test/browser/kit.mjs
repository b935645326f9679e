// What the stories share: browsers with signed-in users, and the checks of each page.
import { execFileSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const { CHROMIUM, PICTURES, MODULES } = process.env;
export const BASE = process.env.BASE; // of the pages
const require = createRequire(join(MODULES, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const hosts = [BASE, process.env.INBOX, process.env.KEYCLOAK].filter(Boolean).map((address) => new URL(address).host);
export const problems = [];
export const refusals = []; // what the content security policy of a page has refused
rmSync(PICTURES, { recursive: true, force: true }); // those of the last run
mkdirSync(PICTURES, { recursive: true });

export const browser = await chromium.launch({
	executablePath: CHROMIUM,
	args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});

// person is a browser in which somebody has signed in.
export async function person(name, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, timezoneId: "Europe/Paris", locale: "en-GB", ...options });
	await context.exposeFunction("refusedByPolicy", (what) => refusals.push(what));
	await context.addInitScript(() => addEventListener("securitypolicyviolation", (e) => window.refusedByPolicy(`${location.href}: ${e.effectiveDirective} refuses ${e.blockedURI} ${e.sample}`)));
	const page = await context.newPage();
	page.on("pageerror", (e) => problems.push(`${page.url()}: ${e}`));
	page.on("console", (m) => m.type() === "error" && !/status of 4\d\d/.test(m.text()) && !page.context().provoked && problems.push(`${page.url()}: ${m.text()}`));
	page.on("request", (r) => !hosts.includes(new URL(r.url()).host) && !page.context().provoked && problems.push(`${page.url()} asks ${r.url()}`));
	await page.goto(BASE);
	if (name) await page.getByRole("button", { name }).click();
	return page;
}

// look finds what axe-core says of a page, and that nothing is wider than the screen.
export async function look(page, picture) {
	if (page.context().scripts !== false) {
		await page.evaluate(axe + ";undefined");
		const { violations } = await page.evaluate(() => window.axe.run({ rules: { "target-size": { enabled: true } } }));
		for (const v of violations) problems.push(`${picture} ${page.url()}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")}`);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
		if (over > 0) problems.push(`${picture} ${page.url()}: ${over} px too wide`);
	}
	if (picture) await page.screenshot({ path: join(PICTURES, picture + ".png"), fullPage: true });
}

// tab goes on with the keyboard until something with a text has the focus.
export async function tab(page, text) {
	for (let i = 0; i < 80; i++) {
		await page.keyboard.press("Tab");
		const here = await page.evaluate(() => {
			const e = document.activeElement;
			if (e === document.body) return ""; // nothing has the focus
			return [e.innerText, e.getAttribute("aria-label"), e.labels?.[0]?.innerText].filter(Boolean).join(" ");
		});
		if (here.includes(text)) return;
	}
	assert.fail(`${page.url()}: the keyboard does not come to ${text}`);
}

// walk goes through a page with the keyboard and finds what hides the focus (WCAG 2.4.11).
export async function walk(page, name) {
	for (let i = 0; i < 60; i++) {
		await page.keyboard.press("Tab");
		const hidden = await page.evaluate(() => {
			const e = document.activeElement;
			if (!e || e === document.body || e.closest(".hidden-text, datalist")) return "";
			const r = e.getBoundingClientRect();
			const seen = [0.1, 0.5, 0.9].some((y) => {
				const at = document.elementFromPoint(r.left + r.width / 2, r.top + r.height * y);
				return at && (e.contains(at) || at.contains(e) || at.closest("label")?.control === e);
			});
			return seen ? "" : e.outerHTML.slice(0, 120);
		});
		if (hidden) problems.push(`${name} ${page.url()}: the focus is hidden at ${hidden}`);
	}
}

export const says = async (page, text) => assert.ok((await page.textContent("body")).includes(text), `${page.url()} does not say ${text}`);

// keyPair creates a key pair and returns it in PEM, and the public key as a JWK.
export function keyPair(name) {
	const run = (...args) => execFileSync("openssl", args, { cwd: process.env.KEYS, stdio: "pipe" });
	run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name);
	run("pkey", "-in", name, "-pubout", "-out", name + ".pub");
	const [secret, open] = [name, name + ".pub"].map((file) => readFileSync(join(process.env.KEYS, file), "utf8"));
	return { secret, open, jwk: createPublicKey(open).export({ format: "jwk" }) };
}

// finish reports the problems.
export async function finish() {
	await browser.close();
	for (const problem of problems) console.error(problem);
	console.log(`${problems.length} problems`);
	process.exit(problems.length ? 1 : 0);
}
