// The story of a client in the registrar's console: it is found, its key is rolled, it is disabled, and an unknown
// outcome and a difference are resolved.
import assert from "node:assert/strict";
import { BASE, finish, keyPair, look, person, says, tab, walk } from "./kit.mjs";

// call makes a call of the API as an admin.
async function call(method, path, request) {
	const reply = await fetch(new URL(path, BASE), { method, headers: { Authorization: "Bearer " + process.env.ADMIN, "Content-Type": "application/json" }, body: JSON.stringify({ request }) });
	return (await reply.json()).response;
}
const register = async (name, changes = {}) => (await call("POST", "/v1/partnermanager/oidc/client", {
	name, policyId: "demo-policy", authPartnerId: "demo-partner", publicKey: keyPair(name).jwk, logoUri: "https://rp.example.org/logo.png",
	redirectUris: [`https://${name.toLowerCase().replaceAll(" ", "-")}.example.org/callback`], grantTypes: ["authorization_code"], clientAuthMethods: ["private_key_jwt"], ...changes,
}))?.clientId;

await call("PUT", "/v1/partnermanager/policies/approved", { name: "With approval", type: "Auth", status: "ACTIVE", userClaims: ["name"], authContextRefs: ["mosip:idp:acr:password"], mandatoryAuthTypes: [], approvalPolicy: "clients" });
await call("PUT", "/v1/partnermanager/partners/demo-partner/policies/approved", { status: "APPROVED" });
const health = await register("Health portal");
const changed = await register("Changed portal");
const lost = await register("Lost portal");
await call("POST", `/v1/registrar/clients/${lost}/disable`, { reason: "Out of use" });
await register("Waiting portal", { policyId: "approved" });
for (let n = 1; n <= 50; n++) await register("Agency " + n);

// A partner finds a client by its key.
const pia = await person("Pia Santos");
await look(pia, "a1-clients");
await pia.getByRole("link", { name: "Next page" }).click();
await says(pia, "Health portal");
await pia.getByRole("link", { name: "Previous page" }).click();
await says(pia, "Agency 50");
await pia.getByRole("button", { name: "Filters" }).click();
await pia.getByLabel("Key thumbprint").fill(health);
await pia.locator("#filters").getByRole("button", { name: "Search" }).click();
await pia.getByRole("link", { name: "Health portal" }).click();
await says(pia, "Users can sign in with this client.");
await look(pia, "a3-client");

// The key is rolled: the private half is refused and not shown again.
const next = keyPair("next");
await pia.getByRole("link", { name: "Add a key" }).click();
await look(pia, "b1-add-key");
await pia.getByLabel("Public key").fill(next.secret);
await pia.getByLabel("Reason").fill("Yearly rotation");
await pia.getByRole("button", { name: "Add a key" }).click();
await says(pia, "This is a private key");
assert.match(await pia.title(), /^Error:/);
assert.ok(!(await pia.content()).includes(next.secret.split("\n")[1]), "the private key is on the page");
assert.equal(await pia.getByLabel("Reason").inputValue(), "Yearly rotation");
await look(pia, "b2-private-key-refused");
await pia.getByLabel("Public key").fill(next.open);
await pia.getByRole("button", { name: "Add a key" }).click();
await says(pia, "Key added.");
await says(pia, "Older key, still accepted");
await pia.reload(); // nothing is sent again
assert.equal(await pia.getByText("Yearly rotation").count(), 1);
await pia.getByRole("link", { name: "Remove a key" }).click();
await pia.getByLabel("Key", { exact: true }).selectOption({ index: 2 });
await pia.getByLabel("Reason").fill("All instances use the new key");
await look(pia, "b3-remove-key");
await pia.getByRole("button", { name: "Remove a key" }).click();
await says(pia, "Key removed.");

// Redirect addresses, with an error at the field, and by keyboard alone.
await pia.getByRole("link", { name: "Change redirect addresses" }).click();
await pia.getByLabel("Redirect addresses").fill("https://portal.example.org/callback#here");
await pia.getByLabel("Reason").fill("New domain");
await pia.getByRole("button", { name: "Change redirect addresses" }).click();
await says(pia, "A redirect address is not permitted");
await look(pia, "b4-redirect-refused");
await pia.getByLabel("Redirect addresses").fill("https://portal.example.org/callback");
await tab(pia, "Change redirect addresses");
await pia.keyboard.press("Enter");
await pia.waitForURL(/note=redirects/);
await says(pia, "Redirect addresses changed.");

// It is disabled and enabled.
await pia.getByRole("link", { name: "Disable" }).click();
await look(pia, "c1-disable");
await pia.getByRole("button", { name: "Disable" }).click();
await says(pia, "Enter a reason");
await pia.getByLabel("Reason").fill("The key has leaked");
await pia.getByRole("button", { name: "Disable" }).click();
await says(pia, "Users cannot sign in with it.");
await look(pia, "c2-disabled");
await pia.getByRole("link", { name: "Enable" }).click();
await pia.getByLabel("Reason").fill("The key was replaced");
await pia.getByRole("button", { name: "Enable" }).click();
await says(pia, "The key has leaked");

// An admin works through the queues.
const ada = await person("Ada Osei");
await ada.goto(`${BASE}/clients/${changed}`);
await ada.getByRole("button", { name: "Compare with the provider" }).click();
await says(ada, "has other values of these fields");
await look(ada, "d1-difference");
await ada.getByRole("link", { name: "Needs attention" }).click();
await says(ada, "Waiting portal");
await look(ada, "d2-queue");
await ada.getByRole("link", { name: /^Different/ }).click();
await says(ada, "Changed portal");
await ada.getByRole("link", { name: /^Doubtful/ }).click();
await ada.getByRole("link", { name: "Lost portal" }).click();
await ada.getByRole("link", { name: "Drop" }).click();
await says(ada, "cannot be read from here");
await says(ada, "As sent");
await look(ada, "d3-drop");
await ada.getByLabel("Reason").fill("The provider has not received it");
await ada.getByRole("button", { name: "Drop" }).click();
await says(ada, "Client dropped.");

// Each page in French and dark, on a phone, by keyboard, and without scripts.
const pages = ["?q=health", "/queues", "/queues/different", `/clients/${health}`, `/clients/${changed}`, `/clients/${health}/add-key`, `/clients/${health}/redirects`, `/clients/${health}/disable`, "/settings"];
for (const [name, options] of Object.entries({
	wide: { viewport: { width: 1280, height: 800 }, locale: "fr-FR" }, phone: { viewport: { width: 360, height: 740 } },
	"dark-phone": { viewport: { width: 360, height: 740 }, locale: "fr-FR", colorScheme: "dark" }, zoom: { viewport: { width: 320, height: 256 } },
})) {
	const reader = await person("Ada Osei", options);
	for (const [at, path] of pages.entries()) {
		await reader.goto(BASE + path);
		await look(reader, `${name}-${at}`);
		if (name === "phone" || name === "zoom") await walk(reader, path);
	}
	await reader.context().close();
}
const plain = await person("Pia Santos", { javaScriptEnabled: false });
plain.context().scripts = false;
await plain.goto(`${BASE}/clients/${health}/disable`);
await plain.getByRole("button", { name: "Disable" }).click();
await says(plain, "There is a problem");
await look(plain, "plain-errors");
await plain.getByLabel("Reason").fill("Without scripts");
await plain.getByRole("button", { name: "Disable" }).click();
await says(plain, "Client disabled.");

await finish();
