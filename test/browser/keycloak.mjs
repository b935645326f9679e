// The story of a client in the registrar's console against a real Keycloak: it is registered, approved in wf, disabled,
// its key is rolled, and a difference is found. Each step is checked at Keycloak.
import assert from "node:assert/strict";
import { BASE, finish, keyPair, look, person, says } from "./kit.mjs";

const { INBOX, KEYCLOAK, REALM, ADMIN, ADMIN_PASSWORD, NAME } = process.env; // NAME is that of the client

// manage calls the admin interface of Keycloak for clients of the realm.
async function manage(path, method = "GET", body) {
	const tokens = await fetch(`${KEYCLOAK}/realms/master/protocol/openid-connect/token`, {
		method: "POST", body: new URLSearchParams({ grant_type: "password", client_id: "admin-cli", username: ADMIN, password: ADMIN_PASSWORD }),
	});
	const reply = await fetch(`${KEYCLOAK}/admin/realms/${REALM}/clients${path}`, {
		method, headers: { Authorization: "Bearer " + (await tokens.json()).access_token, "Content-Type": "application/json" }, body: JSON.stringify(body),
	});
	assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
	return method === "GET" ? reply.json() : undefined;
}

// recorded returns the records that Keycloak has of the client.
const recorded = async () => (await manage("")).filter((c) => c.name === NAME);
const keysOf = (record) => JSON.parse(record.attributes["jwks.string"]).keys.map((k) => k.x).sort();

// signIn enters a user's password at Keycloak, when a page leads there.
async function signIn(page, name) {
	await page.waitForURL(KEYCLOAK + "/**");
	await page.locator("#username").fill(name);
	await page.locator("#password").fill(name + "-local-only");
	await page.locator("#kc-login").click();
	await page.waitForURL((at) => at.href.startsWith(BASE) || at.href.startsWith(INBOX));
	return page;
}

// becomes reloads a page until it has a text, or has it no longer.
async function becomes(page, text, there = true) {
	for (let i = 0; i < 180; i++) {
		if ((await page.textContent("body")).includes(text) === there) return;
		await page.waitForTimeout(500);
		await page.reload();
	}
	assert.fail(`${page.url()}: ${text} is ${there ? "missing" : "still there"}`);
}

const pia = await signIn(await person(""), "pia");
const ana = await person("");
await ana.goto(INBOX);
await signIn(ana, "ana");

// approve approves the open request in the inbox, and waits for the outcome at the client.
async function approve(outcome, there) {
	await ana.goto(INBOX);
	await becomes(ana, NAME);
	await ana.getByRole("link", { name: NAME }).first().click();
	await ana.getByRole("button", { name: "Approve" }).click();
	await becomes(pia, outcome, there);
}

// It is registered, and Keycloak receives it after the approval.
const [first, next] = [keyPair("first"), keyPair("next")];
await pia.getByRole("link", { name: "Register" }).click();
await pia.getByRole("link", { name: "Register a client of a partner" }).click();
await pia.getByLabel("Name", { exact: true }).fill(NAME);
await pia.getByLabel("Policy").selectOption("demo-policy");
await pia.getByLabel("Logo").fill("https://harbour.example.org/logo.png");
await pia.getByLabel("Redirect addresses").fill("https://harbour.example.org/callback");
await pia.getByLabel("Public key").fill(first.open);
await pia.getByRole("button", { name: "Register" }).click();
await pia.waitForURL(/note=/);
await says(pia, "Sent for approval.");
await becomes(pia, "A change waits for approval in wf.");
assert.deepEqual(await recorded(), [], "Keycloak has the client before its approval");
await pia.getByRole("link", { name: "Needs attention" }).click();
await pia.getByRole("link", { name: NAME }).click();
const client = pia.url();
assert.match(await pia.getByRole("link", { name: "Request in wf" }).getAttribute("href"), new RegExp("^" + INBOX + "/requests/"));
await look(pia, "a1-waits");
await approve("Users can sign in with this client.");
const [{ id }] = await recorded();
const record = () => manage("/" + id);
assert.deepEqual(keysOf(await record()), [first.jwk.x]);
await look(pia, "a2-approved");

// act takes an action of the client with a reason.
async function act(name, note, fill = async () => {}) {
	await pia.goto(client);
	await pia.getByRole("link", { name }).click();
	await fill();
	await pia.getByLabel("Reason").fill("Yearly rotation");
	await pia.getByRole("button", { name }).click();
	await pia.waitForURL(/note=/);
	await says(pia, note);
}

// It is disabled and enabled.
await act("Disable", "Users cannot sign in with it.");
assert.equal((await record()).enabled, false);
await look(pia, "b1-disabled");
await act("Enable", "Sent for approval.");
await approve("Users can sign in with this client.");
assert.equal((await record()).enabled, true);

// The key is rolled.
await act("Add a key", "Sent for approval.", () => pia.getByLabel("Public key").fill(next.open));
await approve("Older key, still accepted");
assert.deepEqual(keysOf(await record()), [first.jwk.x, next.jwk.x].sort());
await act("Remove a key", "Sent for approval.", () => pia.getByLabel("Key", { exact: true }).selectOption({ index: 2 }));
await approve("Older key, still accepted", false);
assert.deepEqual(keysOf(await record()), [next.jwk.x]);

// An admin finds a change at Keycloak and sends the client again.
await manage("/" + id, "PUT", { ...(await record()), redirectUris: ["https://elsewhere.example.org/callback"] });
const root = await signIn(await person(""), "root");
await root.goto(client);
await root.getByRole("button", { name: "Compare with the provider" }).click();
await root.waitForURL(/note=/);
await look(root, "c1-compared");
await root.getByRole("link", { name: "Needs attention" }).click();
await root.getByRole("link", { name: /^Different/ }).click();
await look(root, "c2-queue");
await root.getByRole("link", { name: NAME }).click();
await says(root, "has other values of these fields");
await says(root, "Redirect addresses");
await look(root, "c3-difference");
await root.getByRole("link", { name: "Send again" }).click();
await root.getByLabel("Reason").fill("Changed at Keycloak");
await root.getByRole("button", { name: "Send again" }).click();
await root.getByText("The client is sent to the identity provider.").waitFor();
for (let i = 0; i < 180 && (await record()).redirectUris[0] !== "https://harbour.example.org/callback"; i++) await root.waitForTimeout(500);
assert.deepEqual((await record()).redirectUris, ["https://harbour.example.org/callback"]);
await root.goto(client);
await root.getByRole("button", { name: "Compare with the provider" }).click();
await root.waitForURL(/note=compared/);
await root.goto(BASE + "/queues/different");
await becomes(root, "Nothing needs attention here");

// A sign-out ends the session at Keycloak too.
await pia.getByRole("button", { name: "Sign out" }).click();
await pia.waitForURL((at) => at.href.startsWith(KEYCLOAK) || at.href.endsWith("/signed-out"));
if (pia.url().startsWith(KEYCLOAK)) await pia.locator("#kc-logout").click();
await pia.waitForURL(BASE + "/signed-out**");
await look(pia, "d1-signed-out");
await pia.goto(BASE);
await pia.waitForURL(KEYCLOAK + "/**");
await pia.locator("#password").waitFor();

await finish();
