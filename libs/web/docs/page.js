'use strict';

let doc;

// el makes an element. Children are elements or text; text is never markup.
function el(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children.filter((c) => c !== undefined && c !== ''));
  return e;
}

function resolve(schema) {
  while (schema && schema.$ref) schema = doc.components.schemas[schema.$ref.split('/').pop()];
  return schema || {};
}

function typeName(schema) {
  const name = schema.$ref ? schema.$ref.split('/').pop() : '';
  const s = resolve(schema);
  if (name) return name;
  if (s.items) return 'list of ' + typeName(s.items);
  const type = [].concat(s.type || 'any').join(' or ');
  return s.format ? type + ' (' + s.format + ')' : type;
}

const rules = ['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum',
  'minItems', 'maxItems', 'pattern', 'default', 'const'];

// facts is a schema's line of limits.
function facts(s) {
  const list = rules.filter((r) => s[r] !== undefined).map((r) => r + ' ' + JSON.stringify(s[r]));
  if (s.enum) list.unshift('one of ' + s.enum.map((v) => JSON.stringify(v)).join(', '));
  return list.join('; ');
}

function line(name, schema, required, description) {
  const s = resolve(schema);
  return el('span', '', el('code', '', name), ' ', el('span', 'soft', typeName(schema)), ' ',
    required ? el('span', 'required', 'required') : '', ' ', description || s.description || '', ' ',
    el('span', 'soft', facts(s)));
}

// members lists what a schema holds. seen stops at types that hold themselves.
function members(schema, seen) {
  const s = resolve(schema);
  if (seen.includes(s)) return undefined;
  seen = [...seen, s];
  if (s.items) return members(s.items, seen);
  const list = el('ul');
  for (const [name, member] of Object.entries(s.properties || {})) {
    const item = el('li', '', line(name, member, (s.required || []).includes(name)));
    const inner = members(member, seen);
    if (inner) item.append(inner);
    list.append(item);
  }
  if (s.additionalProperties && s.additionalProperties !== true) {
    const item = el('li', '', line('any name', s.additionalProperties));
    const inner = members(s.additionalProperties, seen);
    if (inner) item.append(inner);
    list.append(item);
  }
  for (const variant of [...(s.oneOf || []), ...(s.anyOf || []), ...(s.allOf || [])]) {
    const inner = members(variant, seen);
    if (inner) list.append(el('li', '', el('span', 'soft', typeName(variant)), inner));
  }
  return list.children.length ? list : undefined;
}

function content(c) {
  return Object.entries(c || {}).map(([type, media]) => el('div', '', el('span', 'soft', type + ' '),
    el('code', '', typeName(media.schema || {})), members(media.schema || {}, [])));
}

function headers(h) {
  return Object.entries(h || {}).map(([name, header]) => el('div', '', line(name, header.schema || {})));
}

function operation(path, method, op) {
  const body = el('div');
  if (op.description) body.append(el('p', '', op.description));
  const scopes = (op.security || []).flatMap((s) => Object.entries(s).map(([k, v]) => k + (v.length ? ': ' + v.join(' or ') : '')));
  if (scopes.length) body.append(el('p', 'soft', 'Needs ' + scopes.join('; ')));
  if (op.parameters) {
    body.append(el('h4', '', 'Parameters'), el('ul', '', ...op.parameters.map((p) => el('li', '',
      el('span', 'soft', p.in + ' '), line(p.name, p.schema || {}, p.required, p.description)))));
  }
  if (op.requestBody) {
    body.append(el('h4', '', op.requestBody.required ? 'Body' : 'Body (optional)'), ...content(op.requestBody.content));
  }
  for (const [status, response] of Object.entries(op.responses || {})) {
    const r = response.$ref ? doc.components.responses[response.$ref.split('/').pop()] : response;
    body.append(el('h4', '', status + ' ', el('span', 'soft', r.description || '')), ...headers(r.headers), ...content(r.content));
  }
  return el('details', 'op', el('summary', '', el('span', 'method ' + method, method.toUpperCase()),
    el('span', 'path', path), ' ', el('span', 'soft', op.summary || op.operationId || '')), body);
}

function render() {
  const main = document.querySelector('main');
  document.title = doc.info.title;
  main.replaceChildren(el('h1', '', doc.info.title, ' ', el('small', '', doc.info.version)),
    el('p', '', doc.info.description || ''));
  const groups = new Map((doc.tags || []).map((t) => [t.name, []]));
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      if (!item[method]) continue;
      const tag = (item[method].tags || ['Operations'])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operation(path, method, item[method]));
    }
  }
  for (const [tag, operations] of groups) {
    if (operations.length) main.append(el('h2', '', tag), ...operations);
  }
}

fetch('openapi.json').then((r) => r.json()).then((d) => { doc = d; render(); })
  .catch((e) => { document.getElementById('state').textContent = 'openapi.json could not be read: ' + e.message; });
