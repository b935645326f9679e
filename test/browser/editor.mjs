// The story of a policy that a person makes without reading JSON.
import assert from "node:assert/strict";
import { BASE as INBOX, finish, look, person, says, tab } from "./kit.mjs";

const words = {
	en: {
		new: "New policy", one: "One approver", addField: "Add a field", integer: "Whole number", addStage: "Add a stage", field: "If a field has a value", save: "Save draft", saved: "Draft saved",
		missing: "This field is required", activate: "Activate …", confirm: "Activate", active: "Version activated", unknown: "has never signed in", up: "Move up Stage 2", down: "Move down Travel desk",
		four: "another person with this right", simulate: "Simulate", starts: "would start", skipped: "Not required for this request",
	},
	fr: {
		new: "Nouvelle règle", one: "Un approbateur", addField: "Ajouter un champ", integer: "Nombre entier", addStage: "Ajouter une étape", field: "Si un champ a une valeur", save: "Enregistrer le brouillon",
		saved: "Brouillon enregistré", missing: "Ce champ est obligatoire", activate: "Activer …", confirm: "Activer", active: "Version activée", unknown: "ne s’est jamais connecté", up: "Monter Étape 2",
		down: "Descendre Travel desk", four: "une autre personne disposant de ce droit", simulate: "Simuler", starts: "commencerait", skipped: "Pas nécessaire",
	},
};

// signIn is a browser of another admin.
async function signIn(id, options) {
	const page = await person("", options);
	await page.locator("details summary").click();
	await page.locator("#id").fill(id);
	await page.locator("[value=WF_ADMIN]").check();
	await page.locator("#id").press("Enter");
	await page.waitForURL((url) => !url.pathname.endsWith("/signin"));
	return page;
}

// editPolicies makes a policy of two stages with a condition, which another admin activates: in English and French, on
// two widths, with and without scripts.
async function editPolicies() {
	for (const [key, language, options] of [
		["en-wide", "en", { viewport: { width: 1280, height: 800 } }],
		["fr-phone", "fr", { viewport: { width: 360, height: 740 }, locale: "fr-FR" }],
		["en-plain", "en", { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }],
		["fr-plain", "fr", { viewport: { width: 1280, height: 800 }, locale: "fr-FR", javaScriptEnabled: false }],
	]) {
		const w = words[language], scripts = options.javaScriptEnabled !== false;
		const ada = await person("Ada Osei", options);
		ada.context().scripts = scripts;
		const seen = (page, name) => look(page, `editor-${key}-${name}`);
		const fill = (id, text) => ada.locator(`[id='${id}']`).fill(text);
		const select = (id, option) => ada.locator(`[id='${id}']`).selectOption(option);
		const press = async (name) => {
			const next = ada.waitForEvent("framenavigated");
			await ada.getByRole("button", { name }).click();
			await next;
			await ada.waitForLoadState();
		};
		await ada.goto(INBOX + "/console/policies");
		await ada.getByRole("link", { name: w.new }).click();
		await seen(ada, "1-start");
		await press(w.one);
		await press(w.save);
		await says(ada, w.missing);
		await seen(ada, "2-errors");
		await fill("name", "Trips " + key);
		await press(w.addField);
		await fill("fields/0/schema/title", "Days");
		await select("fields/0/kind", { label: w.integer });
		await fill("stages/0/approvers/0/ids/0", "tom");
		await press(w.addStage);
		await fill("stages/1/name", "Travel desk");
		await fill("stages/1/approvers/0/ids/0", "tomm");
		await select("stages/1/if", { label: w.field });
		await select("stages/1/if_field", { label: "Days" });
		await select("stages/1/if_op", ">");
		await fill("stages/1/if_value", "10");
		if (scripts) { // the stages, the warnings and the expression follow without a button
			await ada.locator("[id='stages/1/if_value']").blur();
			await ada.locator("#live").getByText(w.unknown).waitFor();
			await ada.locator("[id='stages/1/if_value-shown']").getByText("context.days > 10").waitFor();
		}
		await press(w.up);
		await ada.waitForFunction(() => document.activeElement.id === "stages/0"); // the moved stage
		await press(w.down);
		await says(ada, w.unknown);
		await fill("stages/1/approvers/0/ids/0", "ines");
		await seen(ada, "3-two-stages");
		await press(w.save);
		await says(ada, w.saved);
		await says(ada, w.four);
		await seen(ada, "4-saved");
		const address = ada.url().split("?")[0];
		await ada.getByRole("link", { name: w.simulate, exact: true }).click();
		await fill("c/days", "3");
		await ada.getByRole("button", { name: w.simulate, exact: true }).click();
		await says(ada, w.starts);
		await says(ada, w.skipped);
		const root = await signIn("root", options);
		await root.goto(address);
		await root.getByRole("link", { name: w.activate }).click();
		await root.getByRole("button", { name: w.confirm, exact: true }).click();
		await says(root, w.active);
		await says(root, "context.days > 10");
		await root.context().close();
		await ada.context().close();
	}
}

// editByKeyboard makes a policy of three stages with escalations after two business days, delegation rules and a French
// name, with the keyboard alone and without JSON. A field, a choice, an opened part and a button are an action each.
async function editByKeyboard() {
	const ada = await person("Ada Osei");
	await ada.goto(INBOX + "/console/policies/new");
	let acts = 0;
	const press = async (name) => {
		acts++;
		await tab(ada, name);
		const next = ada.waitForEvent("framenavigated");
		await ada.keyboard.press("Enter");
		await next;
		await ada.waitForLoadState();
	};
	const type = async (name, text) => {
		acts++;
		await tab(ada, name);
		await ada.keyboard.type(text);
	};
	const unfold = async (name) => {
		acts++;
		await tab(ada, name);
		await ada.keyboard.press("Enter");
	};
	const escalate = async (approver, other) => {
		await type("Person 1", approver);
		await type("Due after", "2 days");
		await type("At the due date", "approvers are added");
		await type("Person 1", other);
	};
	await press("One approver");
	await type("Name", "By keyboard");
	await unfold("In other languages");
	await type("Name in other languages", "fr = Au clavier");
	await escalate("tom", "ines");
	for (const [i, name, approver, other] of [[1, "Finance", "ines", "tom"], [2, "Board", "mia", "ines"]]) {
		await press("Add a stage");
		await ada.waitForFunction((id) => document.activeElement.id === id, "stages/" + i); // the focus is at the new stage
		await type("Name of the stage", name);
		await escalate(approver, other);
	}
	await unfold("Decisions and delegation");
	await type("May delegates decide in this stage?", "No");
	await unfold("Working time and holidays");
	await type("Time zone", "Europe/Paris");
	await unfold("Delegation and exclusions");
	await type("May delegates decide for approvers?", "No");
	await look(ada, "editor-keyboard");
	await press("Save draft");
	await says(ada, "Draft saved");
	assert.ok(acts <= 30, `the policy takes ${acts} actions`);
	for (const said of ["Tom Lindqvist", "2 working days", "Finance", "Au clavier", "another person with this right"]) await says(ada, said);
	const text = (await ada.textContent("body")).replaceAll(/\s/g, "");
	assert.equal(text.split('"on_due":"escalate"').length, 4, "three escalations");
	assert.ok(text.includes('"allow":{"delegate":false}'), "the last stage has no delegates");
	assert.ok(text.includes('"delegation":{"allowed":false}'), "the policy has no delegates");
	await press("Edit");
	assert.equal(await ada.locator("[id='stages/0/approvers/0/ids/0']").inputValue(), "Tom Lindqvist");
	await ada.goBack();
	await press("Delete draft");
	await says(ada, "cannot be restored");
	await look(ada, "editor-confirm");
	await press("Delete draft");
	await says(ada, "Draft deleted");
	await ada.context().close();
}

await editByKeyboard();
await editPolicies();
await finish();
