// Signs a person in at ISSUER as CLIENT_ID, with openid-client: authorization code with PKCE, and private_key_jwt with the
// key of KEY, a private JWK. It prints the claims of the ID token, or the error of the provider and exits with 1.
import * as client from "openid-client";

const { ISSUER, CLIENT_ID, REDIRECT_URI, KEY } = process.env;
const jwk = JSON.parse(KEY);
const algorithm = jwk.kty === "EC" ? { name: "ECDSA", namedCurve: jwk.crv } : { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
const auth = client.PrivateKeyJwt({ key, kid: jwk.kid });
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, {}, auth, { execute: [client.allowInsecureRequests] });

const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
let url = client.buildAuthorizationUrl(config, {
  redirect_uri: REDIRECT_URI, scope: "openid profile", state, code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
});

// browser follows redirects and submits the pages of the provider, with cookies, until the redirect URI.
const cookies = new Map();
async function browser(at, form) {
  for (let step = 0; step < 20; step++) {
    if (at.href.startsWith(REDIRECT_URI)) return at;
    const response = await fetch(at, {
      redirect: "manual", method: form ? "POST" : "GET", body: form,
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) cookies.set(name, value); else cookies.delete(name);
    }
    form = undefined;
    if (response.headers.has("location")) {
      at = new URL(response.headers.get("location"), at);
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page);
    if (!prompt) throw new Error(`${response.status}: ${page.replace(/<style>.*?<\/style>/s, "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")}`);
    at = new URL(/action="([^"]+)"/.exec(page)[1], at);
    form = new URLSearchParams({ prompt: prompt[1], login: "ana", password: "any" });
  }
  throw new Error("too many redirects");
}

try {
  const back = await browser(url);
  const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
  console.log(JSON.stringify(tokens.claims()));
} catch (error) {
  console.log(`${error.error ?? ""} ${error.message}`);
  process.exit(1);
}
