"""Registers a client at ISSUER with Authlib and signs a user in there: it prints the address of the sign-in, reads the
address that the browser came back to, and prints the claims of the ID token."""

import json
import os

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # Keycloak is on this machine

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc7591 import ClientMetadataClaims
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

issuer, redirect_uri = os.environ["ISSUER"], os.environ["REDIRECT_URI"]
server = AuthorizationServerMetadata(requests.get(get_well_known_url(issuer, external=True)).json())
key = RSAKey.generate_key(2048, auto_kid=True)
registration = OAuth2Session(token={"access_token": os.environ["INITIAL_TOKEN"], "token_type": "Bearer"})
metadata = {"redirect_uris": [redirect_uri], "jwks": KeySet([key]).as_dict(private=False)}
reply = registration.post(server["registration_endpoint"], json=metadata)
client = ClientMetadataClaims(reply.json(), {})
assert reply.status_code == 201, client
client.validate()

session = OAuth2Session(
    client["client_id"], key, PrivateKeyJWT(server["token_endpoint"], headers={"kid": key.kid}),
    redirect_uri=redirect_uri, scope="openid", code_challenge_method="S256")
verifier = generate_token(48)
address, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
print(address, flush=True)
token = session.fetch_token(server["token_endpoint"], authorization_response=input(), state=state, code_verifier=verifier)
claims = jwt.decode(token["id_token"], KeySet.import_key_set(requests.get(server["jwks_uri"]).json())).claims
CodeIDToken(claims, {}, {"iss": {"value": issuer}, "aud": {"value": client["client_id"]}}).validate()
print(json.dumps(claims))
