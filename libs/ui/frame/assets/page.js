// Optional shortcuts. Every page works without scripts.
"use strict";
(() => {
	const { root, cookies, keys, copy } = document.currentScript.dataset;
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
	if (zone && !document.cookie.split("; ").some((c) => c.startsWith(cookies + "_zone="))) {
		document.cookie = cookies + "_zone=" + encodeURIComponent(zone) + "; path=" + root + "; max-age=31536000; samesite=lax" + (location.protocol === "https:" ? "; secure" : "");
		if (zone !== "UTC" && document.querySelector("time")) location.reload();
	}

	// Single-key shortcuts, as in the settings: the keys of the operations in this order; none if they are off.
	const operations = ["next", "previous", "select", "approve", "reject", "search", "forward"], map = [...keys];
	const rows = [...document.querySelectorAll("[data-row]")];
	const typing = (e) => e.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
	let at = -1;
	const move = (to) => {
		if (!rows.length) return;
		at = Math.max(0, Math.min(rows.length - 1, to));
		rows[at].querySelector("a").focus();
	};
	document.addEventListener("focusin", (e) => {
		const row = e.target.closest("[data-row]");
		if (row) at = rows.indexOf(row);
	});
	const open = (action) => {
		const link = rows[at] && rows[at].querySelector("a");
		if (link) location.href = link.href + (action ? "#" + action : "");
	};
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || typing(e)) return;
		const decision = document.querySelector("[data-decide]");
		switch (operations[map.indexOf(e.key.toLowerCase())]) {
			case "next": move(at + 1); break;
			case "previous": move(at - 1); break;
			case "select": if (rows[at]) rows[at].querySelector("input")?.click(); break;
			case "approve": decision ? focusOn(decision, "approve") : open("approve"); break;
			case "reject": decision ? focusOn(decision, "reject") : open("reject"); break;
			case "search": { const q = document.getElementById("q"); if (!q) return; const fold = q.closest("[popover]"); if (fold && !q.checkVisibility()) fold.showPopover(); q.focus(); break; }
			case "forward": { const next = document.querySelector("a[data-next]"); if (!next) return; location.href = next.href; break; }
			default: return;
		}
		e.preventDefault();
	});
	const focusOn = (form, action) => {
		const button = form.querySelector(`button[value="${action}"]`);
		if (button) { button.scrollIntoView({ block: "center" }); button.focus(); }
	};
	const decision = document.querySelector("[data-decide]");
	if (decision && /^#(approve|reject)$/.test(location.hash)) focusOn(decision, location.hash.slice(1));

	// Pickers search users during input.
	for (const field of document.querySelectorAll("[data-people]")) {
		const list = field.list;
		const button = field.parentElement.querySelector("button[name=find]");
		if (button) button.hidden = true;
		let asked = "", timer;
		field.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(async () => {
				const q = field.value.trim();
				if (q.length < 2 || q === asked || [...list.options].some((o) => o.value === q)) return;
				asked = q;
				const answer = await fetch(root + "/people?q=" + encodeURIComponent(q), { headers: { Accept: "text/html" } });
				if (answer.ok && !answer.redirected && q === asked) list.innerHTML = await answer.text();
			}, 200);
		});
	}

	// Identifiers are copied.
	for (const code of document.querySelectorAll(".id code")) {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = "⧉";
		button.title = copy;
		button.setAttribute("aria-label", copy + " " + code.title);
		button.addEventListener("click", () => navigator.clipboard?.writeText(code.title).then(() => { button.textContent = "✓"; }));
		code.closest(".id").append(button);
	}

	// Before a changed form is left, the browser asks: its entries would be lost.
	const form = document.querySelector("form#page");
	let changed = !!form?.querySelector("[data-changed]");
	document.addEventListener("input", (e) => { if (form && e.target.form === form && e.target.name !== "task") changed = true; });
	addEventListener("beforeunload", (e) => { if (changed) e.preventDefault(); });

	// A form is sent once.
	document.addEventListener("submit", (e) => {
		if (e.target.method !== "post") return;
		if (e.target === form) changed = false;
		if (e.target.dataset.sent) { e.preventDefault(); return; }
		e.target.dataset.sent = "yes";
		addEventListener("pageshow", () => { delete e.target.dataset.sent; }, { once: true });
	});

	// A form with live parts is sent after each change, and the answer has their new content.
	const lively = document.querySelector("form:has([data-live])");
	if (lively) {
		let timer, last = 0;
		const send = async () => {
			const body = new URLSearchParams(new FormData(lively));
			const own = ++last;
			body.set("do", "live");
			const answer = await fetch(lively.action, { method: "POST", body });
			if (!answer.ok || answer.redirected || own !== last) return;
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			for (const part of document.querySelectorAll("[data-live]")) part.innerHTML = page.getElementById(part.id)?.innerHTML ?? "";
		};
		lively.addEventListener("change", () => {
			clearTimeout(timer);
			timer = setTimeout(() => send().catch(() => {}), 300);
		});
		lively.addEventListener("submit", () => clearTimeout(timer));
	}

	// Counters show the characters that are left, and announce them after a pause.
	const said = document.createElement("p");
	said.className = "hidden-text";
	said.setAttribute("role", "status");
	for (const field of document.querySelectorAll("[data-limit]")) {
		const counter = document.getElementById(field.id + "-count"), limit = Number(field.dataset.limit), plain = counter.textContent;
		let timer;
		const count = () => {
			const left = limit - [...field.value.trim()].length;
			counter.textContent = left === limit ? plain : (left < 0 ? counter.dataset.over : counter.dataset.left).replace("{0}", Math.abs(left).toLocaleString(document.documentElement.lang));
			counter.classList.toggle("near", left < limit / 10);
			counter.classList.toggle("error", left < 0);
		};
		field.addEventListener("input", () => {
			count();
			clearTimeout(timer);
			timer = setTimeout(() => { if (counter.classList.contains("near")) { document.body.append(said); said.textContent = counter.textContent; } }, 1000);
		});
		count();
	}

	// The legend shows the number of selected tasks.
	const list = document.querySelector("[data-list]");
	if (list) {
		const several = list.querySelector(".several"), needs = several.querySelector(".needs"), page = list.querySelector("button[name=select]");
		const legend = several.querySelector("legend"), none = legend.textContent, boxes = [...list.querySelectorAll("input[name=task]")];
		const count = () => {
			const picked = boxes.filter((box) => box.checked).length;
			const need = boxes.filter((box) => box.checked && box.dataset.note).map((box) => `${box.closest("tr").querySelector(".row-title").textContent} (${box.dataset.note})`);
			needs.hidden = !need.length;
			needs.textContent = needs.dataset.text.replace("{0}", need.slice(0, 3).join(", ") + (need.length > 3 ? " " + needs.dataset.more.replace("{0}", need.length - 3) : ""));
			several.classList.toggle("ready", !!picked);
			legend.textContent = picked ? legend.dataset.selected.replace("{0}", picked.toLocaleString(document.documentElement.lang)) : none;
		};
		list.addEventListener("change", count);
		page?.addEventListener("click", (e) => {
			e.preventDefault();
			const every = boxes.every((box) => box.checked);
			for (const box of boxes) box.checked = !every;
			count();
		});
		several.classList.add("waits");
		count();
	}
})();
