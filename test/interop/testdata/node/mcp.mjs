// A client of the Model Context Protocol gets access to the server at RESOURCE by auth() of the TypeScript SDK: it finds
// the authorization server, registers there, prints the address of the sign-in, reads the address that the browser
// came back to, and prints the server's answer.
import { createInterface } from "node:readline/promises";
import { auth } from "@modelcontextprotocol/sdk/client/auth.js";

const { RESOURCE, REDIRECT_URI } = process.env;
const kept = {};
const provider = {
  redirectUrl: REDIRECT_URI,
  clientMetadata: {
    client_name: "MCP CLI Proxy", redirect_uris: [REDIRECT_URI], response_types: ["code"], token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"], client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (url) => console.log(url.href),
};
await auth(provider, { serverUrl: RESOURCE });
const back = new URL(await createInterface(process.stdin).question(""));
const result = await auth(provider, { serverUrl: RESOURCE, authorizationCode: back.searchParams.get("code") });
const answer = await fetch(RESOURCE, { headers: { Authorization: `Bearer ${kept.tokens.access_token}` } });
console.log(result, answer.status, await answer.text());
process.exit(answer.ok ? 0 : 1);
