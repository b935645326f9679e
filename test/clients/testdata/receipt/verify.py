"""Verifies a receipt and a statement with PyJWT and the standard libraries: verify.py RECEIPT JWKS STATEMENT"""

import base64
import json
import sys

import jwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

receipt, jwks, statement = (open(name).read().strip() for name in sys.argv[1:4])
keys = {key.key_id: key for key in jwt.PyJWKSet.from_json(jwks).keys}
issuer = "https://approvals.example.org"


def verify(token):
    # The golden receipt is of one day of 2027.
    header = jwt.get_unverified_header(token)
    if header["typ"] != "approval-receipt+jwt":
        raise jwt.InvalidTokenError("typ")
    return jwt.decode(token, keys[header["kid"]].key, algorithms=["EdDSA"], issuer=issuer, options={"verify_exp": False, "verify_iat": False})


def decode(token):
    return [base64.urlsafe_b64decode(part + "==") for part in token.split(".")]


claims = verify(receipt)
assert claims["outcome"] == "approved" and claims["stages"][0]["approvals"][0]["actor"] == "ana", claims

for i in range(len(receipt)):
    changed = receipt[:i] + ("B" if receipt[i] != "B" else "R") + receipt[i + 1 :]
    try:
        verify(changed)
    except (jwt.InvalidTokenError, KeyError):
        continue
    # Unused bits of the last character are another spelling of the same bytes.
    if decode(changed) != decode(receipt):
        sys.exit(f"byte {i} of the receipt changed, and it is accepted")

envelope = json.loads(statement)
payload = base64.b64decode(envelope["payload"], validate=True)
kind = envelope["payloadType"].encode()
signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
key = json.loads(jwks)["keys"][0]
public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "="))
signature = base64.b64decode(envelope["signatures"][0]["sig"], validate=True)
public.verify(signature, signed)
try:
    public.verify(signature, signed + b" ")
    sys.exit("a changed statement is accepted")
except InvalidSignature:
    pass
content = json.loads(payload)
assert content["predicate"] == claims, content
assert content["subject"][0] == {"name": "context", "digest": {"sha256": claims["context_hash"].removeprefix("sha256:")}}
