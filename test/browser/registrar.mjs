// The story of the registrar's console: a client is registered, and an admin manages what it needs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { BASE, finish, look, person, says, walk } from "./kit.mjs";

// keyPair runs the commands of the page.
async function keyPair(page, name) {
	const commands = (await page.locator("details code").innerText()).replaceAll("client-key", name);
	execFileSync("sh", ["-ec", commands], { cwd: process.env.KEYS, stdio: "pipe" });
	return { secret: readFileSync(join(process.env.KEYS, name + ".pem"), "utf8"), open: readFileSync(join(process.env.KEYS, name + ".pub.pem"), "utf8") };
}

const ada = await person("Ada Osei");

// A policy, a partner, and what maps them.
await ada.getByRole("link", { name: "Administration" }).click();
await look(ada, "a1-partners");
await ada.getByText("New partner", { exact: true }).click();
await ada.getByRole("button", { name: "Create partner" }).click();
await look(ada, "a2-errors-at-the-fields");
assert.match(await ada.title(), /^Error:/);
await ada.getByRole("link", { name: "Policies" }).click();
await ada.getByText("New policy", { exact: true }).click();
await ada.getByLabel("Id", { exact: true }).fill("ports");
await ada.getByLabel("Name", { exact: true }).fill("Ports and harbours");
await ada.getByLabel("Claims").fill("name\nemail");
await ada.getByLabel("Levels of authentication").fill("mosip:idp:acr:password");
await look(ada, "a3-policies");
await ada.getByRole("button", { name: "Create policy" }).click();
await says(ada, "Ports and harbours");
await look(ada, "a4-policy");
await ada.goto(BASE + "/admin");
await ada.getByText("New partner", { exact: true }).click();
await ada.getByLabel("Id", { exact: true }).fill("harbour");
await ada.getByLabel("Name", { exact: true }).fill("Harbour office");
await ada.getByRole("button", { name: "Create partner" }).click();
await ada.getByLabel("Policy id").fill("ports");
await ada.getByRole("button", { name: "Approve policy" }).click();
await says(ada, "Policy approved");
await look(ada, "a5-partner");
await ada.getByRole("button", { name: "Withdraw ports" }).click();
await look(ada, "a6-withdraw");
await ada.getByRole("button", { name: "Cancel" }).click();

// A token is shown once.
await ada.goto(BASE + "/admin/tokens");
await ada.getByLabel("Partner id").fill("harbour");
await ada.getByLabel("Policy id").fill("ports");
await ada.getByRole("button", { name: "Issue token" }).click();
await says(ada, "it is not shown again");
await look(ada, "a7-token-shown-once");
await ada.goto(BASE + "/admin/tokens");
assert.ok(!(await ada.textContent("body")).includes("it is not shown again"));
await ada.getByRole("button", { name: /^Revoke/ }).click();
await ada.getByRole("button", { name: "Revoke", exact: true }).click();
await says(ada, "No valid tokens");

// A partner registers a client, first with the wrong half of the key pair.
const pia = await person("Pia Santos");
await pia.getByRole("link", { name: "Register" }).click();
await look(pia, "b1-kinds");
await pia.getByRole("link", { name: "Register a client of a partner" }).click();
await look(pia, "b2-register");
const pair = await keyPair(pia, "portal");
await pia.getByLabel("Name", { exact: true }).fill("Port portal");
await pia.getByLabel("Policy").selectOption("demo-policy");
await pia.getByLabel("Logo").fill("https://rp.example.org/logo.png");
await pia.getByLabel("Redirect addresses").fill("https://rp.example.org/callback");
await pia.getByLabel("Public key").fill(pair.secret);
await pia.getByRole("button", { name: "Register" }).click();
await says(pia, "This is a private key");
assert.ok(!(await pia.content()).includes(pair.secret.split("\n")[1]), "the private key is on the page");
assert.equal(await pia.getByLabel("Name", { exact: true }).inputValue(), "Port portal");
await look(pia, "b3-private-key-refused");
await pia.getByLabel("Public key").fill(pair.open);
await pia.getByRole("button", { name: "Register" }).click();
await pia.waitForURL(/note=registered/);
await pia.goto(BASE);
await says(pia, "Port portal");

// An admin registers one with named claims, reads the trail and imports.
await ada.goto(BASE + "/register/provider");
const second = await keyPair(ada, "second");
await ada.getByLabel("Client id").fill("second");
await ada.getByLabel("Name", { exact: true }).fill("Second portal");
await ada.getByLabel("Relying party").fill("rp-1");
await ada.getByLabel("Logo").fill("https://rp.example.org/logo.png");
await ada.getByLabel("Redirect addresses").fill("https://rp.example.org/callback");
await ada.getByLabel("Public key").fill(second.open);
await ada.locator("[name=claims]").first().check();
await ada.getByRole("button", { name: "Register" }).click();
await says(ada, "There is a problem");
await look(ada, "c1-provider-errors");
await ada.locator("[name=acrs]").first().check();
await ada.getByLabel("Public key").fill(second.open); // a refused form does not keep it
await ada.getByRole("button", { name: "Register" }).click();
await ada.waitForURL(/note=registered/);
await ada.goto(BASE + "/admin/audit");
await says(ada, "pia");
await look(ada, "c2-audit");
const [trail] = await Promise.all([ada.waitForEvent("download"), ada.getByRole("link", { name: "NDJSON" }).click()]);
assert.match(readFileSync(await trail.path(), "utf8"), /^\{"at":/);
await ada.goto(BASE + "/admin/import");
await ada.getByLabel("Clients", { exact: true }).fill("not a client");
await ada.getByRole("button", { name: "Check without importing" }).click();
await says(ada, "nothing was changed");
await look(ada, "c3-dry-run");

// Each page on a phone, in French, by keyboard, and without scripts.
const pages = ["/register", "/register/partner", "/register/provider", "/admin", "/admin/partners/harbour", "/admin/policies", "/admin/policies/ports", "/admin/tokens", "/admin/audit", "/admin/import", "/mappings"];
for (const [name, options] of Object.entries({
	wide: { viewport: { width: 1280, height: 800 }, locale: "fr-FR" }, phone: { viewport: { width: 360, height: 740 } },
	"dark-phone": { viewport: { width: 360, height: 740 }, locale: "fr-FR", colorScheme: "dark" },
})) {
	const reader = await person("Ada Osei", options);
	for (const path of pages) {
		await reader.goto(BASE + path);
		await look(reader, `${name}${path.replaceAll("/", "-")}`);
		if (name === "phone") await walk(reader, path);
	}
	await reader.context().close();
}
const plain = await person("Pia Santos", { javaScriptEnabled: false });
plain.context().scripts = false;
await plain.goto(BASE + "/register/partner");
await plain.getByRole("button", { name: "Register" }).click();
await says(plain, "There is a problem");
await look(plain, "plain-errors");

await finish();
