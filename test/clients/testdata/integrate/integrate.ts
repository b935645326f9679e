// Requests an approval, receives its webhook and reads the result. Needs Node 20 or later and no package.
//
// WF_URL, TOKEN_URL, CLIENT_ID, CLIENT_SECRET and WEBHOOK_SECRET (whsec_...) name the service, the issuer and the
// endpoint, which posts to this program on PORT. With a file as argument it verifies the vectors of the hash.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { env } from 'node:process';
import { setTimeout } from 'node:timers/promises';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

// canonical returns the canonical form. A number of more than 15 digits is not exact in this language: use a string.
function canonical(value: Json): string {
	if (Array.isArray(value)) return '[' + value.map(canonical).join(',') + ']';
	if (typeof value === 'number') return decimal(value);
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const names = Object.keys(value).sort(); // by UTF-16 code units
	return '{' + names.map((name) => JSON.stringify(name) + ':' + canonical(value[name]!)).join(',') + '}';
}

// decimal returns a number without an exponent.
function decimal(value: number): string {
	const [mantissa, exponent] = String(value).split('e');
	if (exponent === undefined) return mantissa === '-0' ? '0' : mantissa!;
	const [, sign, whole, fraction = ''] = /^(-?)(\d)(?:\.(\d+))?$/.exec(mantissa!)!;
	const e = Number(exponent);
	if (e < 0) return sign + '0.' + '0'.repeat(-e - 1) + whole + fraction;
	return sign! + whole + fraction.padEnd(e, '0');
}

const contextHash = (value: Json) => 'sha256:' + createHash('sha256').update(canonical(value)).digest('hex');

async function reply<T>(response: Response): Promise<T> {
	if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
	return (await response.json()) as T;
}

async function getToken(): Promise<string> {
	const basic = Buffer.from(`${env.CLIENT_ID}:${env.CLIENT_SECRET}`).toString('base64');
	const response = await fetch(env.TOKEN_URL!, {
		method: 'POST',
		headers: { Authorization: 'Basic ' + basic },
		body: new URLSearchParams({ grant_type: 'client_credentials' }),
	});
	return (await reply<{ access_token: string }>(response)).access_token; // request a new one before expires_in has passed
}

type Request = { id: string; status: string; standing?: string; context_hash: string };

async function call(token: string, path: string, body?: Json, headers = {}): Promise<Request> {
	const response = await fetch(`${env.WF_URL}/v1/wf${path}`, {
		method: body === undefined ? 'GET' : 'POST',
		headers: { ...headers, Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	return (await reply<{ response: Request }>(response)).response;
}

// isSigned verifies a message by Standard Webhooks 1.0.0, scheme v1. The messages of the last five minutes are accepted.
function isSigned(headers: IncomingMessage['headers'], body: Buffer): boolean {
	const id = headers['webhook-id'], sent = headers['webhook-timestamp'];
	if (!id || !sent || !(Math.abs(Date.now() / 1000 - Number(sent)) <= 300)) return false;
	const key = Buffer.from(env.WEBHOOK_SECRET!.replace(/^whsec_/, ''), 'base64');
	const want = Buffer.from('v1,' + createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest('base64'));
	const signatures = String(headers['webhook-signature'] ?? '').split(' '); // several during a rotation of the secret
	return signatures.map((one) => Buffer.from(one)).some((one) => one.length === want.length && timingSafeEqual(one, want));
}

const seen = new Set<string>(); // ids of messages; keep them in a database, for seven days
const ended = new Set<string>(); // ids of requests
const final = ['request.approved', 'request.rejected', 'request.cancelled', 'request.expired'];

const server = createServer(async (incoming, outgoing) => {
	const parts: Buffer[] = [];
	for await (const part of incoming) parts.push(part);
	const body = Buffer.concat(parts), id = String(incoming.headers['webhook-id']);
	const signed = isSigned(incoming.headers, body);
	if (signed && !seen.has(id)) { // a repeat is no other event
		seen.add(id);
		const event = JSON.parse(body.toString());
		if (final.includes(event.type)) ended.add(event.data.request.id);
	}
	outgoing.writeHead(signed ? 204 : 401).end();
});

async function main() {
	server.listen(Number(env.PORT), '127.0.0.1');
	await once(server, 'listening');
	const token = await getToken();
	const context = { amount: 900.5, recipient: 'Zoë' };
	const created = await call(token, '/requests', { policy_key: env.POLICY!, title: 'Invoice 117', context },
		{ 'Idempotency-Key': env.POLICY + '-117' }); // a repeat creates nothing
	if (created.context_hash !== contextHash(context)) throw new Error('the service has other content: ' + created.context_hash);
	while (!ended.has(created.id)) await setTimeout(200);
	const result = await call(token, '/requests/' + created.id); // the request is the source, not the message
	server.close();
	server.closeAllConnections();
	if (result.status !== 'approved' || result.standing !== 'in_force') throw new Error('the request is ' + result.status);
	console.log('approved', result.id, result.context_hash);
}

function verifyVectors(path: string) {
	for (const vector of JSON.parse(readFileSync(path, 'utf8'))) {
		const value: Json = JSON.parse(vector.document);
		if (canonical(value) !== vector.canonical || contextHash(value) !== vector.context_hash) {
			throw new Error(`${vector.document}: ${canonical(value)} ${contextHash(value)}`);
		}
	}
}

if (process.argv[2]) verifyVectors(process.argv[2]);
else main().catch((error) => {
	console.error(error);
	process.exit(1);
});
