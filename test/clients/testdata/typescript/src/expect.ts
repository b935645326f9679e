declare const process: { env: Record<string, string>; exit(code: number): never };

export const env = process.env;

export const as = (name: string) => ({ Authorization: "Bearer " + env[name] });

/** Fails with what came instead. */
export function expect(what: string, right: boolean, got: unknown): asserts right {
  if (!right) throw new Error(what + ": " + JSON.stringify(got));
}

export const registration = {
  request: {
    name: "Portal", policyId: "demo-policy", authPartnerId: "demo-partner", publicKey: JSON.parse(env.CLIENT_KEY),
    logoUri: "https://rp.example.org/logo.png", redirectUris: ["https://rp.example.org/cb"],
    grantTypes: ["authorization_code"], clientAuthMethods: ["private_key_jwt"],
  },
};

export const another = { request: { ...registration.request, name: "Another portal" } };

/** Runs a story; the process fails with it. */
export function tell(story: () => Promise<void>) {
  story().catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
