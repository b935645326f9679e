import createClient from "openapi-fetch";
import { another, as, env, expect, registration, tell } from "./expect";
import type { paths as Registrar } from "./openapi-typescript/registrar";
import type { paths as WF } from "./openapi-typescript/wf";

/** Creates a request, decides it and reads it. */
async function approve() {
  // openapi-fetch does not read the document: it has to be told how objects are sent.
  const c = createClient<WF>({ baseUrl: env.WF_URL, querySerializer: { object: { style: "form", explode: true } } });
  const key = env.CLIENT;
  const policy = await c.POST("/v1/wf/policies", {
    headers: as("ROOT"),
    body: { policy_key: key, name: "Generated", stages: [{ key: "check", name: "Check", approvers: [{ type: "user", ids: ["ana"] }] }] },
  });
  expect("create policy", policy.data?.response.status === "draft", policy);
  const active = await c.POST("/v1/wf/policies/{key}/versions/{v}/activate", { headers: as("ROOT"), params: { path: { key, v: "1" } } });
  expect("activate", active.data?.response.status === "active", active);
  const made = await c.POST("/v1/wf/requests", { headers: as("RITA"), body: { policy_key: key, context: { amount: 7 }, labels: { client: key } } });
  const request = made.data?.response;
  expect("create request", request?.tasks[0].assignee?.id === "ana" && request.completed_at === null, made);
  const task = { path: { id: request.tasks[0].id } };
  const decided = await c.POST("/v1/wf/tasks/{id}/decision", { headers: as("ANA"), params: task, body: { action: "approve" } });
  expect("decide", decided.data?.response.decision.action === "approve", decided);
  const read = await c.GET("/v1/wf/requests/{id}", { headers: as("RITA"), params: { path: { id: request.id } } });
  expect("read", read.data?.response.status === "approved", read);
  for (const [value, want] of [[key, 1], ["other", 0]] as const) {
    const list = await c.GET("/v1/wf/requests", { headers: as("RITA"), params: { query: { labels: { "label.client": value } } } });
    expect("list by label " + value, list.data?.response.items.length === want, list);
  }
  const again = await c.POST("/v1/wf/tasks/{id}/decision", { headers: as("ANA"), params: task, body: { action: "approve" } });
  expect("decide again", again.response.status === 409 && again.error !== undefined && "errors" in again.error && again.error.errors[0].errorCode === "WF-007", again);
}

/** Registers a client, reads it and is refused another with the same key. */
async function register() {
  const c = createClient<Registrar>({ baseUrl: env.REGISTRAR_URL, headers: as("PARTNER") });
  const made = await c.POST("/v1/partnermanager/oidc/client", { body: registration });
  const client = made.data?.response;
  expect("register", !!client && made.data?.errors.length === 0, made);
  const read = await c.GET("/v1/partnermanager/oidc/client/{client_id}", { params: { path: { client_id: client.clientId } } });
  expect("read", read.data?.response?.name === "Portal", read);
  const again = await c.POST("/v1/partnermanager/oidc/client", { body: another });
  expect("register another", again.data?.response === null && again.data.errors[0].errorCode === "PMS_IDP_001", again);
}

tell(async () => {
  await approve();
  await register();
});
