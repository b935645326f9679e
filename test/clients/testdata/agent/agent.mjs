// An agent in JavaScript, with the official client.
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { WF_URL: url, ROOT: root, RITA: rita, ANA: ana } = process.env
const policy = 'agent-javascript'

// api calls the API as a person.
async function api(token, path, body) {
  const reply = await fetch(`${url}/v1/wf${path}`, {
    method: body ? 'POST' : 'GET',
    body: body && JSON.stringify(body),
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  })
  assert(reply.ok, `${path}: ${reply.status}`)
  return (await reply.json()).response
}

await api(root, '/policies', {
  policy_key: policy,
  name: 'Payments',
  settings: { single_use: true },
  stages: [{ key: 's', name: 'Finance', approvers: [{ type: 'user', ids: ['ana'] }] }],
})
await api(root, `/policies/${policy}/versions/1/activate`, {})

const client = new Client({ name: 'agent', version: '1' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/v1/wf/mcp`), {
  requestInit: { headers: { Authorization: `Bearer ${rita}` } },
}))

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args })
  const value = JSON.parse(result.content[0].text)
  if (!result.isError) assert.deepEqual(result.structuredContent, value)
  assert.equal(Boolean(result.isError), 'errorCode' in value)
  return value
}

const { tools } = await client.listTools()
assert.deepEqual(tools.map(t => t.name).sort(), ['cancel_approval', 'consume_approval', 'get_approval', 'list_policies', 'request_approval'])
assert((await call('list_policies', {})).policies.some(p => p.key === policy))

const context = { to: 'acme', amount: 100.1 }
const request = await call('request_approval', { policy_key: policy, context })
assert.equal(request.status, 'in_review')
assert.equal((await call('request_approval', { policy_key: policy, context })).request_id, request.request_id)
const waiting = call('get_approval', { request_id: request.request_id, wait: 50 })
const { tasks } = await api(ana, `/requests/${request.request_id}`)
await api(ana, `/tasks/${tasks[0].id}/decision`, { action: 'approve' })
assert.equal((await waiting).standing, 'in_force')
const changed = await call('consume_approval', { request_id: request.request_id, context: { ...context, amount: 1001 } })
assert.equal(changed.errorCode, 'WF-007')
assert.equal((await call('consume_approval', { request_id: request.request_id, context })).standing, 'consumed')
assert.notEqual((await call('request_approval', { policy_key: policy, context })).request_id, request.request_id)
await client.close()
