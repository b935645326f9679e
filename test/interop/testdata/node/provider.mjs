// A provider of the npm package oidc-provider on a port of 127.0.0.1: dynamic registration, and registration access
// tokens that each change replaces. Its sign-in page accepts every name.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const server = createServer();
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clientAuthMethods: ["private_key_jwt"],
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true, initialAccessToken: false },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: true },
    },
    scopes: ["openid", "profile", "email", "address", "phone"],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: "Ana Lima" }) }),
    claims: { openid: ["sub"], profile: ["name"], email: ["email"], address: ["address"], phone: ["phone_number"] },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
