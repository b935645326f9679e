// Optional shortcuts. Every page works without scripts.
"use strict";
(() => {
	const { root, cookies, keys } = document.currentScript.dataset;
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
	if (zone && !document.cookie.split("; ").some((c) => c.startsWith(cookies + "_zone="))) {
		document.cookie = cookies + "_zone=" + encodeURIComponent(zone) + "; path=" + root + "; max-age=31536000; samesite=lax" + (location.protocol === "https:" ? "; secure" : "");
		if (zone !== "UTC" && document.querySelector("time")) location.reload();
	}

	// A kept form is sent after the sign-in in another tab.
	if ("BroadcastChannel" in window) {
		const channel = new BroadcastChannel("countersign");
		if (document.querySelector("[data-signed-in]")) {
			channel.postMessage("signed in");
			window.close();
		}
		const kept = document.querySelector("[data-kept]");
		if (kept) channel.addEventListener("message", () => kept.submit());
	}

	// Single-key shortcuts, as in the settings: the keys of the operations in this order, a blank for none.
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
		switch (e.key.trim() && operations[map.indexOf(e.key.toLowerCase())]) {
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

	// A changed form is kept when its page is left. The address gets the id of the form, so that Back shows it
	// again, and the tab has the id for other ways to the page. A list with results has no form to return to.
	const form = document.querySelector("form#page"), address = new URL(location.href);
	const place = "kept " + location.pathname.replace(/\/check$/, "");
	const setKept = (id) => {
		address.searchParams.set("kept", id);
		sessionStorage.setItem(place, id);
	};
	let changed = false;
	if (address.searchParams.has("kept")) {
		if (!document.querySelector(".outcomes")) setKept(address.searchParams.get("kept"));
	} else if (form && sessionStorage.getItem(place)) {
		setKept(sessionStorage.getItem(place));
		location.replace(address);
	}
	if (form) {
		const most = 60000; // bytes of a beacon
		const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----|^(?=.*"kty")(?=.*"d"\s*:)/s; // a private key stays in the browser
		const body = () => new URLSearchParams([...new FormData(form)].filter(([, value]) => !secret.test(value)));
		document.addEventListener("input", (e) => {
			if (e.target.form !== form || changed) return;
			changed = true;
			setKept(form.elements.kept.value);
			address.hash = location.hash;
			history.replaceState(null, "", address);
		});
		addEventListener("pagehide", () => {
			if (changed) navigator.sendBeacon(root + "/keep", body());
			changed = false;
		});
		document.addEventListener("click", async (e) => {
			const link = e.target.closest("a[href]");
			if (!changed || !link || link.target || link.origin !== location.origin || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
			if (link.hash && link.pathname === location.pathname || body().toString().length < most) return;
			e.preventDefault();
			await fetch(root + "/keep", { method: "POST", body: body(), redirect: "manual" }).catch(() => {});
			changed = false;
			location.href = link.href;
		});
	}

	// A form is sent once. Its page is a new one then, unless the form is kept.
	document.addEventListener("submit", (e) => {
		if (e.target.method !== "post") return;
		if (e.target === form || place !== "kept " + location.pathname) {
			changed = false;
			if (e.submitter && new URL(e.submitter.formAction).pathname === root + "/keep") {
				setKept(form.elements.kept.value);
				history.replaceState(null, "", address);
			} else sessionStorage.removeItem(place);
		}
		if (e.target.dataset.sent) { e.preventDefault(); return; }
		e.target.dataset.sent = "yes";
		addEventListener("pageshow", () => { delete e.target.dataset.sent; }, { once: true });
	});

	// A form with live parts is kept after each change; its page has their new content. A button waits for
	// that, so that the form of the change does not replace the button's.
	const lively = document.querySelector("form:has([data-live])");
	if (lively) {
		let timer, sending;
		const send = async () => {
			const body = new URLSearchParams(new FormData(lively));
			body.set("do", "live");
			const answer = await fetch(lively.action, { method: "POST", body });
			if (!answer.ok) return;
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			for (const part of document.querySelectorAll("[data-live]")) part.innerHTML = page.getElementById(part.id)?.innerHTML ?? "";
		};
		lively.addEventListener("change", () => {
			clearTimeout(timer);
			timer = setTimeout(() => { sending = (sending ?? Promise.resolve()).then(send).catch(() => {}); }, 300);
		});
		lively.addEventListener("submit", (e) => {
			clearTimeout(timer);
			if (!sending) return;
			e.preventDefault();
			e.stopPropagation();
			// After the event: a form ignores another submission during it.
			sending.then(() => setTimeout(() => { sending = undefined; lively.requestSubmit(e.submitter); }));
		});
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
		const several = list.querySelector(".several"), all = list.querySelector("input[name=all]"), page = list.querySelector("button[name=select]");
		const legend = several.querySelector("legend"), none = legend.textContent, boxes = [...list.querySelectorAll("input[name=task]")];
		const count = () => {
			const picked = boxes.filter((box) => box.checked).length, n = all?.checked ? all.dataset.count : picked && picked.toLocaleString(document.documentElement.lang);
			several.classList.toggle("ready", !!n);
			legend.textContent = n ? legend.dataset.selected.replace("{0}", n) : none;
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
