'use strict';

// The OpenAPI document, once it is read.
let doc;

// el makes an element. Attributes are an object, or a string for the class alone.
// Children are elements or text, in lists or alone; text is never markup.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  if (typeof attributes === 'string') attributes = { class: attributes };
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== ''));
  return e;
}

// prose is text of the document, with `code` shown as such.
function prose(text) {
  return (text || '').split('`').map((part, i) => (i % 2 ? el('code', '', part) : part));
}

// fold is a details element whose content is made when it is first opened: the
// page stays light, and a schema that holds itself comes to an end.
function fold(attributes, summary, make, open) {
  const details = el('details', attributes, el('summary', '', summary));
  details.unfold = () => {
    if (details.children.length === 1) details.append(el('div', '', make()));
    details.open = true;
  };
  details.addEventListener('toggle', () => details.open && details.unfold());
  if (open) details.unfold();
  return details;
}

// deref follows references. What stands beside a reference overrides its target.
function deref(x = {}) {
  while (x.$ref) {
    const { $ref, ...own } = x;
    const keys = $ref.slice(2).split('/').map((k) => k.replaceAll('~1', '/').replaceAll('~0', '~'));
    x = { ...keys.reduce((o, k) => (o || {})[k], doc), ...own };
  }
  return x;
}

// flat is a schema with its references followed and the parts of allOf joined.
function flat(schema) {
  const { allOf, ...own } = deref(schema);
  return allOf ? [...allOf, own].map(flat).reduce(narrow) : own;
}

// narrow joins two schemas, of which b says more than a.
function narrow(a, b) {
  const { oneOf, anyOf, ...plain } = a;
  const joined = { ...(b.type || b.properties || b.oneOf ? plain : a), ...b };
  if (a.required && b.required) joined.required = [...a.required, ...b.required];
  if (a.properties && b.properties) {
    joined.properties = { ...a.properties };
    for (const [name, member] of Object.entries(b.properties)) {
      joined.properties[name] = a.properties[name] ? { allOf: [a.properties[name], member] } : member;
    }
  }
  return joined;
}

// choices are the schemas of which one holds, without null.
function choices(s) {
  return (s.oneOf || s.anyOf || []).filter((c) => c.type !== 'null');
}

function typeName(schema = {}) {
  const named = schema.$ref ? schema : (schema.allOf || []).findLast((part) => part.$ref);
  if (named) return named.$ref.split('/').pop();
  const s = flat(schema);
  const some = s.oneOf || s.anyOf;
  if (some) return [...new Set(some.map(typeName))].join(' or ');
  if (s.items) return 'list of ' + typeName(s.items) + ([].concat(s.type).includes('null') ? ' or null' : '');
  if (!s.properties && s.additionalProperties && s.additionalProperties.type) return 'map of ' + typeName(s.additionalProperties);
  const type = [].concat(s.type || (s.const === undefined ? 'any' : typeof s.const)).join(' or ');
  return s.format ? type + ' (' + s.format + ')' : type;
}

const ranges = [['length', 'minLength', 'maxLength'], ['items', 'minItems', 'maxItems'],
  ['members', 'minProperties', 'maxProperties'], ['value', 'minimum', 'maximum']];

// facts is what a schema says of a value, besides its type.
function facts(s) {
  const list = [];
  const json = (v) => JSON.stringify(v);
  if (s.const !== undefined) list.push('always ' + json(s.const));
  if (s.enum) list.push('one of ' + s.enum.map(json).join(', '));
  for (const [what, low, high] of ranges) {
    if (s[low] !== undefined && s[high] !== undefined) list.push(`${what} ${s[low]} to ${s[high]}`);
    else if (s[low] !== undefined) list.push(`${what} at least ${s[low]}`);
    else if (s[high] !== undefined) list.push(`${what} at most ${s[high]}`);
  }
  if (s.exclusiveMinimum !== undefined) list.push('more than ' + s.exclusiveMinimum);
  if (s.exclusiveMaximum !== undefined) list.push('less than ' + s.exclusiveMaximum);
  if (s.uniqueItems) list.push('no item twice');
  if (s.pattern) list.push('pattern ' + s.pattern);
  if (s.default !== undefined) list.push('default ' + json(s.default));
  for (const mark of ['deprecated', 'readOnly', 'writeOnly']) if (s[mark]) list.push(mark);
  const samples = s.examples || (s.example === undefined ? [] : [s.example]);
  if (samples.length && typeof samples[0] !== 'object') list.push('for example ' + samples.map(json).join(', '));
  if (s.items && !hasMembers(s.items)) list.push(...facts(flat(s.items)).map((f) => 'each ' + f));
  return list;
}

// line tells of one member or parameter.
function line(name, schema, required, description) {
  const s = flat(schema);
  return el('span', '', el('code', '', name), ' ', el('span', 'soft', typeName(schema)),
    required ? el('strong', '', ' required') : '', ' ', prose(description || s.description), ' ',
    facts(s).map((fact) => [el('span', 'fact', fact), ' ']));
}

function hasMembers(schema) {
  const s = flat(schema);
  if (s.maxItems === 0) return false;
  const inner = [s.items, s.additionalProperties, ...choices(s)];
  return Object.keys(s.properties || {}).length > 0 || inner.some((i) => typeof i === 'object' && hasMembers(i));
}

// row is a line that can be opened if there is more to tell.
function row(text, schema, open) {
  return el('li', '', hasMembers(schema) ? fold('', text, () => members(schema), open) : text);
}

// members lists what a schema holds. Those of the outermost are open.
function members(schema, open) {
  const s = flat(schema);
  const some = choices(s);
  if (s.items) return members(s.items, open);
  if (some.length === 1) return members(some[0], open);
  const rows = Object.entries(s.properties || {})
    .map(([name, member]) => row(line(name, member, (s.required || []).includes(name)), member, open));
  if (hasMembers(s.additionalProperties)) rows.push(row(line('any name', s.additionalProperties), s.additionalProperties, open));
  return el('ul', '', rows, some.map((variant) => row(variantLine(s, variant), variant)));
}

// variantLine names one of several forms, by the member that tells them apart if there is one.
function variantLine(s, variant) {
  const { propertyName, mapping = {} } = s.discriminator || {};
  const value = Object.keys(mapping).find((key) => mapping[key] === variant.$ref);
  return el('span', '', 'either ', propertyName ? el('code', '', `${propertyName}: ${JSON.stringify(value)}`) : '', ' ',
    el('span', 'soft', typeName(variant)), ' ', prose(flat(variant).description));
}

// examplesOf lists the examples of a body as name and value.
function examplesOf(media) {
  const named = Object.entries(media.examples || {}).map(([name, e]) => [deref(e).summary || name, deref(e).value]);
  if (named.length) return named;
  const s = flat(media.schema);
  const value = [media.example, s.example, ...(s.examples || [])].find((v) => v !== undefined);
  return value === undefined ? [] : [['', value]];
}

// bodies shows what a body may be: under each media type its examples and its schema.
function bodies(content) {
  return Object.entries(content || {}).map(([type, media]) => [
    el('p', '', el('code', '', type), ' ', el('span', 'soft', media.schema ? typeName(media.schema) : '')),
    examplesOf(media).map(([name, value]) => fold('', 'Example' + (name && ': ' + name), () => el('pre', '', JSON.stringify(value, null, 2)), true)),
    hasMembers(media.schema) ? members(media.schema, true) : el('p', 'soft', facts(flat(media.schema)).join('; ')),
  ]);
}

// textOf is the names and descriptions in a schema, each reference once, for the search.
function textOf(schema, seen) {
  if (!schema || seen.has(schema.$ref)) return '';
  if (schema.$ref) seen.add(schema.$ref);
  const s = deref(schema);
  const inner = [s.items, s.additionalProperties, ...(s.allOf || []), ...(s.oneOf || []), ...(s.anyOf || [])].filter((x) => x && x !== true);
  return [s.title, s.description, ...(s.enum || []), ...Object.entries(s.properties || {}).flatMap(([name, member]) => [name, textOf(member, seen)]),
    ...inner.map((x) => textOf(x, seen))].join(' ');
}
