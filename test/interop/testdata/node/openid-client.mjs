// Registers a client at ISSUER with openid-client and signs a user in there: it prints the address of the sign-in, reads
// the address that the browser came back to, and prints the claims of the ID token.
import { createInterface } from "node:readline/promises";
import * as client from "openid-client";

const { ISSUER, INITIAL_TOKEN, REDIRECT_URI } = process.env;
const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
const metadata = { redirect_uris: [REDIRECT_URI], jwks: { keys: [await crypto.subtle.exportKey("jwk", publicKey)] } };
const options = { initialAccessToken: INITIAL_TOKEN, execute: [client.allowInsecureRequests] };
const config = await client.dynamicClientRegistration(new URL(ISSUER), metadata, client.PrivateKeyJwt(privateKey), options);

const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const parameters = {
  redirect_uri: REDIRECT_URI, scope: "openid", state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
};
console.log(client.buildAuthorizationUrl(config, parameters).href);
const back = new URL(await createInterface(process.stdin).question(""));
const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
console.log(JSON.stringify(tokens.claims()));
process.exit();
