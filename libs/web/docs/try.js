// The caller's token. It lives here, in this page, until the page is left.
let token = '';

// tryIt is a form that makes one call to this service.
function tryIt(path, method, op, parameters) {
  const secured = security(op).length > 0;
  const fields = [...parameters, ...choiceOfTypes(op)].map((p) => ({ p, input: inputFor(p) }));
  const [type, media] = Object.entries(deref(op.requestBody).content || {})[0] || [];
  const body = media && el('textarea', { rows: 8, spellcheck: 'false' });
  const curl = el('pre', '');
  const status = el('p', { role: 'status' });
  const reply = el('div', '');

  const call = () => callOf(path, method, fields, type, body && body.value);
  const update = () => { curl.textContent = curlLine(call(), secured); };
  const form = el('form', { autocomplete: 'off' },
    secured ? tokenField() : '',
    fields.map(({ p, input }) => el('label', '', el('span', '', p.name, ' ', el('span', 'soft', p.in), p.required ? el('strong', '', ' required') : ''), input)),
    media ? bodyField(media, body, update) : '',
    el('button', '', 'Send'), method === 'get' ? '' : el('span', 'soft', 'This is a real call: it changes what the service holds.'),
    status, reply, el('p', '', 'The same with curl:'), curl);
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(call(), secured, form, status, reply);
  });
  update();
  return form;
}

// choiceOfTypes are headers for operations that take or give several media types.
function choiceOfTypes(op) {
  const given = Object.values(op.responses || {}).map((r) => Object.keys(deref(r).content || {})).find((types) => types.length > 1);
  const taken = Object.keys(deref(op.requestBody).content || {});
  const header = (name, types) => ({ name, in: 'header', schema: { enum: types } });
  return [given && header('Accept', given), taken.length > 1 && header('Content-Type', taken)].filter(Boolean);
}

function inputFor(p) {
  const s = flat(p.schema);
  const options = s.enum || (s.type === 'boolean' ? [true, false] : undefined);
  if (options) return el('select', '', el('option', '', ''), options.map((o) => el('option', '', String(o))));
  const sample = [p.example, s.example, (s.examples || [])[0], s.default].find((v) => v !== undefined);
  const hint = sample !== undefined ? String(sample) : isMap(p) ? p.name.replace('*', 'name') + '=value' : s.type === 'array' ? 'one,two' : '';
  return el('input', { placeholder: hint, required: p.in === 'path', spellcheck: 'false', autocapitalize: 'off' });
}

// isMap tells of a parameter whose caller chooses names as well as values.
function isMap(p) {
  return p.in === 'query' && (p.name.includes('*') || flat(p.schema).type === 'object');
}

function tokenField() {
  const input = el('input', { type: 'password', class: 'token', autocomplete: 'off', spellcheck: 'false' });
  input.value = token;
  input.addEventListener('input', () => {
    token = input.value.trim();
    for (const other of document.querySelectorAll('input.token')) if (other !== input) other.value = token;
  });
  return el('label', '', el('span', '', 'Token ', el('span', 'soft', 'bearer; forgotten when this page is left')), input);
}

function bodyField(media, body, update) {
  const examples = examplesOf(media);
  const fill = (i) => {
    body.value = examples.length ? JSON.stringify(examples[i][1], null, 2) : '';
    body.rows = Math.min(24, Math.max(4, body.value.split('\n').length + 1));
    update();
  };
  const pick = el('select', '', examples.map(([name], i) => el('option', '', name || `Example ${i + 1}`)));
  pick.addEventListener('change', () => fill(pick.selectedIndex));
  queueMicrotask(() => fill(0));
  return [examples.length > 1 ? el('label', '', el('span', '', 'Start from'), pick) : '', el('label', '', el('span', '', 'Body'), body)];
}

// callOf makes a call of what the form holds. Fields left empty are left out.
function callOf(path, method, fields, type, body) {
  const query = [];
  const headers = {};
  const enc = encodeURIComponent;
  if (body) headers['Content-Type'] = type;
  for (const { p, input } of fields.filter((f) => f.input.value !== '')) {
    const value = input.value;
    if (p.in === 'path') path = path.replace(`{${p.name}}`, () => enc(value));
    else if (p.in === 'header') headers[p.name] = value;
    else if (isMap(p)) query.push(...value.split('&').map((pair) => pair.split('=').map(enc).join('=')));
    else if (flat(p.schema).type !== 'array') query.push(enc(p.name) + '=' + enc(value));
    else if (p.explode === false) query.push(enc(p.name) + '=' + value.split(',').map(enc).join(','));
    else query.push(...value.split(',').map((v) => enc(p.name) + '=' + enc(v)));
  }
  const url = new URL('.' + path, location.href.split('#')[0]);
  url.search = query.join('&');
  return { method: method.toUpperCase(), url: url.href, headers, body: body || undefined };
}

// curlLine is the call as a command for a POSIX shell, without the token itself.
function curlLine(call, secured) {
  const quote = (s) => `'${s.replaceAll("'", "'\\''")}'`;
  const parts = [`curl -i -X ${call.method} ${quote(call.url)}`];
  if (secured) parts.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(call.headers)) parts.push('-H ' + quote(`${name}: ${value}`));
  if (call.body) parts.push('--data-raw ' + quote(call.body));
  return parts.join(' \\\n  ');
}

async function send(call, secured, form, status, reply) {
  if (form.getAttribute('aria-busy') === 'true') return;
  form.setAttribute('aria-busy', 'true');
  status.textContent = 'Waiting for the reply';
  reply.replaceChildren();
  const begun = performance.now();
  try {
    const headers = { ...call.headers };
    if (secured && token) headers.Authorization = 'Bearer ' + token;
    const r = await fetch(call.url, { ...call, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
    const text = await r.text();
    status.textContent = `${r.status} ${r.statusText} after ${Math.round(performance.now() - begun)} ms`;
    const json = /[/+]json\b/.test(r.headers.get('Content-Type'));
    reply.append(el('pre', 'soft', [...r.headers].map(([name, value]) => `${name}: ${value}`).join('\n')),
      el('pre', '', json ? indented(text) : text));
  } catch (e) {
    status.textContent = 'The call failed: ' + e.message;
  }
  form.setAttribute('aria-busy', 'false');
  status.scrollIntoView({ block: 'nearest' }); // on a small screen it is below the button, out of sight
}

// indented breaks JSON into lines and leaves every value as it was sent: parsing
// would change long numbers.
function indented(json) {
  let depth = 0;
  const newLine = () => '\n' + '  '.repeat(depth);
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (part) => {
    if (part === '{' || part === '[') { depth++; return part + newLine(); }
    if (part === '}' || part === ']') { depth--; return newLine() + part; }
    if (part === ',') return part + newLine();
    if (part === ':') return ': ';
    return part.trim();
  });
}
