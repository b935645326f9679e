// Verifies a receipt with jose: verify.mjs RECEIPT JWKS
import { readFileSync } from 'node:fs'
import { createLocalJWKSet, jwtVerify } from 'jose'

const [receipt, jwks] = process.argv.slice(2, 4).map((name) => readFileSync(name, 'utf8').trim())
const keys = createLocalJWKSet(JSON.parse(jwks))
const verify = (token) =>
  jwtVerify(token, keys, {
    issuer: 'https://approvals.example.org',
    typ: 'approval-receipt+jwt',
    algorithms: ['EdDSA'],
    currentDate: new Date('2027-03-01T12:30:00Z'),
  })

const decode = (token) => token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex')).join('.')

const { payload } = await verify(receipt)
if (payload.outcome !== 'approved' || payload.stages[0].approvals[0].actor !== 'ana') throw new Error(JSON.stringify(payload))

for (let i = 0; i < receipt.length; i++) {
  const changed = receipt.slice(0, i) + (receipt[i] === 'B' ? 'R' : 'B') + receipt.slice(i + 1)
  if (decode(changed) === decode(receipt)) continue // unused bits of the last character: the same bytes
  const accepted = await verify(changed).then(() => true, () => false)
  if (accepted) throw new Error(`byte ${i} of the receipt changed, and it is accepted`)
}
