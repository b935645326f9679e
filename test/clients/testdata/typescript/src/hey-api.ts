import { another, as, env, expect, registration, tell } from "./expect";
import { client as registrar } from "./hey-api/registrar/client.gen";
import { getPartnerClient, registerPartnerClient } from "./hey-api/registrar/sdk.gen";
import { client as wf } from "./hey-api/wf/client.gen";
import { activateVersion, createPolicy, createRequest, decideTask, getRequest, listRequests } from "./hey-api/wf/sdk.gen";

/** Creates a request, decides it and reads it. */
async function approve() {
  wf.setConfig({ baseUrl: env.WF_URL });
  const key = env.CLIENT;
  const policy = await createPolicy({
    headers: as("ROOT"),
    body: { policy_key: key, name: "Generated", stages: [{ key: "check", name: "Check", approvers: [{ type: "user", ids: ["ana"] }] }] },
  });
  expect("create policy", policy.data?.response.status === "draft", policy);
  const active = await activateVersion({ headers: as("ROOT"), path: { key, v: "1" } });
  expect("activate", active.data?.response.status === "active", active);
  const made = await createRequest({ headers: as("RITA"), body: { policy_key: key, context: { amount: 7 }, labels: { client: key } } });
  const request = made.data?.response;
  expect("create request", request?.tasks[0].assignee?.id === "ana" && request.completed_at === null, made);
  const task = { id: request.tasks[0].id };
  const decided = await decideTask({ headers: as("ANA"), path: task, body: { action: "approve" } });
  expect("decide", decided.data?.response.decision.action === "approve", decided);
  const read = await getRequest({ headers: as("RITA"), path: { id: request.id } });
  expect("read", read.data?.response.status === "approved", read);
  for (const [value, want] of [[key, 1], ["other", 0]] as const) {
    const list = await listRequests({ headers: as("RITA"), query: { labels: { "label.client": value } } });
    expect("list by label " + value, list.data?.response.items.length === want, list);
  }
  const again = await decideTask({ headers: as("ANA"), path: task, body: { action: "approve" } });
  expect("decide again", again.error !== undefined && "errors" in again.error && again.error.errors[0].errorCode === "WF-007", again);
}

/** Registers a client, reads it and is refused another with the same key. */
async function register() {
  registrar.setConfig({ baseUrl: env.REGISTRAR_URL, headers: as("PARTNER") });
  const made = await registerPartnerClient({ body: registration });
  const client = made.data?.response;
  expect("register", !!client && made.data?.errors.length === 0, made);
  const read = await getPartnerClient({ path: { client_id: client.clientId } });
  expect("read", read.data?.response?.name === "Portal", read);
  const again = await registerPartnerClient({ body: another });
  expect("register another", again.data?.response === null && again.data.errors[0].errorCode === "PMS_IDP_001", again);
}

tell(async () => {
  await approve();
  await register();
});
