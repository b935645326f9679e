// Registers a public client at ISSUER with oauth4webapi and signs a user in there, as openid-client.mjs.
import { createInterface } from "node:readline/promises";
import * as oauth from "oauth4webapi";

const { ISSUER, INITIAL_TOKEN, REDIRECT_URI } = process.env;
const local = { [oauth.allowInsecureRequests]: true };
const issuer = new URL(ISSUER);
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, local));
const registration = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" };
const client = await oauth.processDynamicClientRegistrationResponse(
  await oauth.dynamicClientRegistrationRequest(server, registration, { initialAccessToken: INITIAL_TOKEN, ...local }),
);

const verifier = oauth.generateRandomCodeVerifier();
const [state, challenge] = [oauth.generateRandomState(), await oauth.calculatePKCECodeChallenge(verifier)];
const address = new URL(server.authorization_endpoint);
address.search = new URLSearchParams({
  client_id: client.client_id, redirect_uri: REDIRECT_URI, response_type: "code", scope: "openid", state,
  code_challenge: challenge, code_challenge_method: "S256",
}).toString();
console.log(address.href);
const back = new URL(await createInterface(process.stdin).question(""));
const code = oauth.validateAuthResponse(server, client, back, state);
const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), code, REDIRECT_URI, verifier, local);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, { requireIdToken: true });
console.log(JSON.stringify(oauth.getValidatedIdTokenClaims(tokens)));
process.exit();
