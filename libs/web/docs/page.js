const methods = ['get', 'put', 'post', 'patch', 'delete'];

// security lists the schemes of which one lets a caller in.
function security(op) {
  return op.security || doc.security || [];
}

// access says who may call an operation.
function access(op) {
  const needs = security(op).flatMap((scheme) => Object.values(scheme));
  if (!needs.length) return 'Open to all, without a token.';
  const names = needs.flat();
  return ['Needs a token', names.length ? [' with ', names.map((n, i) => [i ? ' or ' : '', el('code', '', n)])] : '', '.'];
}

// headersOf lists the headers of a reply.
function headersOf(response) {
  const rows = Object.entries(response.headers || {}).map(([name, h]) => el('li', '', line(name, deref(h).schema, false, deref(h).description)));
  return rows.length ? [el('p', '', 'Headers'), el('ul', '', rows)] : [];
}

function replies(op) {
  return Object.entries(op.responses || {}).map(([status, ref]) => {
    const response = deref(ref);
    const title = [el('strong', '', status), ' ', prose(response.description)];
    if (!response.headers && !response.content) return el('p', '', title);
    return fold('', title, () => [headersOf(response), bodies(response.content)], status.startsWith('2'));
  });
}

// about is all that is told of an operation or a webhook.
function about(id, op, path, method, webhook) {
  const parameters = (op.parameters || []).map(deref);
  const request = deref(op.requestBody);
  const parts = [el('p', 'soft', el('a', { href: '#' + id }, webhook ? path : op.operationId), ' ', webhook ? '' : access(op))];
  if (op.description) parts.push(el('p', '', prose(op.description)));
  if (!webhook) parts.push(fold('try', 'Try it', () => tryIt(path, method, op, parameters)));
  if (parameters.length) {
    parts.push(el('h4', '', webhook ? 'Headers' : 'Parameters'), el('ul', '', parameters.map((p) => el('li', '',
      line(p.name, p.schema, p.required, p.description), ' ', webhook ? '' : el('span', 'fact', 'in ' + p.in)))));
  }
  if (request.content) {
    parts.push(el('h4', '', webhook ? 'Payload' : request.required ? 'Body' : 'Body, optional'), bodies(request.content));
  }
  parts.push(el('h4', '', webhook ? 'Replies of the receiver' : 'Replies'), replies(op));
  return parts;
}

// entry is one operation or webhook in the list. The filter reads its words.
function entry(id, op, path, method, webhook) {
  const title = el('h3', '', el('span', 'method ' + method, webhook ? 'event' : method), ' ', el('code', '', path), ' ', el('span', 'soft', op.summary || ''));
  const e = fold({ class: 'entry', id }, title, () => about(id, op, path, method, webhook));
  e.addEventListener('toggle', () => e.open && history.replaceState(null, '', '#' + id));
  e.words = () => e.text ||= wordsOf(op, method, path, id); // made by the first search
  return e;
}

// wordsOf is the text of an operation, with the descriptions of parameters, members and replies.
function wordsOf(op, method, path, id) {
  const seen = new Set();
  const content = (x) => Object.values(x.content || {}).map((c) => textOf(c.schema, seen));
  const parameters = (op.parameters || []).map(deref).flatMap((p) => [p.name, p.description, textOf(p.schema, seen)]);
  const replies = Object.entries(op.responses || {}).flatMap(([status, r]) => [status, deref(r).description, ...content(deref(r))]);
  return [method, path, id, op.operationId, op.summary, op.description, ...(op.tags || []), ...parameters,
    ...content(deref(op.requestBody)), ...replies].join(' ').toLowerCase();
}

// sections sorts entries by tag, in the order of the document.
function sections(items, what, many) {
  const groups = new Map((doc.tags || []).map((t) => [t.name, []]));
  for (const [path, item] of Object.entries(items || {})) {
    for (const method of methods.filter((m) => item[m])) {
      const op = item[method];
      const tag = (op.tags || [what])[0];
      const id = what === 'webhook' ? 'webhook-' + path : op.operationId || method + path;
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(entry(id, op, path, method, what === 'webhook'));
    }
  }
  return [...groups].filter(([, entries]) => entries.length).map(([tag, entries]) => {
    const about = (doc.tags || []).find((t) => t.name === tag) || {};
    const title = what === 'webhook' ? `Webhooks: ${tag}` : tag;
    return el('section', '', el('h2', { id: `${many}-${tag.replaceAll(' ', '-')}` }, title), el('p', '', prose(about.description)), entries);
  });
}

function render() {
  document.title = doc.info.title + ' ' + doc.info.version;
  document.querySelector('h1').replaceChildren(doc.info.title, ' ', el('small', '', doc.info.version));
  const all = [...sections(doc.paths, 'operation', 'operations'), ...sections(doc.webhooks, 'webhook', 'webhooks')];
  document.getElementById('about').replaceChildren(...prose(doc.info.description));
  const links = all.map((s) => s.querySelector('h2')).map((h) => el('li', '', el('a', { href: '#' + h.id }, h.textContent)));
  document.querySelector('nav').append(el('ul', '', links));
  document.querySelector('main').replaceChildren(...all);
}

// filter shows the entries that hold all the words.
function filter() {
  const words = box.value.toLowerCase().split(/\s+/);
  const entries = [...document.querySelectorAll('.entry')];
  for (const e of entries) e.hidden = !words.every((w) => !w || e.words().includes(w));
  for (const s of document.querySelectorAll('section')) s.hidden = !s.querySelector('.entry:not([hidden])');
  const shown = entries.filter((e) => !e.hidden).length;
  document.getElementById('count').textContent = `${shown} of ${entries.length} shown`;
}

// follow opens what the address names.
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('[hidden]')) { box.value = ''; filter(); }
  if (target.unfold) show(target);
  else target.scrollIntoView();
}

// show opens an entry and goes to it.
function show(entry) {
  entry.unfold();
  entry.scrollIntoView();
  entry.firstChild.focus({ preventScroll: true });
}

const box = document.getElementById('filter');
box.addEventListener('input', filter);
addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.matches('input, textarea, select')) {
    event.preventDefault();
    box.focus();
  } else if (event.target === box && event.key === 'Escape') {
    box.value = '';
    filter();
  } else if (event.target === box && event.key === 'Enter') {
    event.preventDefault(); // or the summary, once it has the focus, takes the key and closes again
    const first = document.querySelector('.entry:not([hidden])');
    if (first) show(first);
  }
});
addEventListener('hashchange', follow);

fetch('openapi.json').then((r) => r.json()).then((d) => { doc = d; render(); filter(); follow(); })
  .catch((e) => { document.getElementById('state').textContent = 'openapi.json could not be read: ' + e.message; });
