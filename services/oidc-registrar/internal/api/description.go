package api

import "github.com/danielgtaylor/huma/v2"

// tags are the groups of operations in the document.
var tags = []*huma.Tag{
	{Name: "partner management", Description: "Clients that are registered under a policy, and the catalogue of policies and partners."},
	{Name: "identity provider", Description: "Clients that are registered with named claims, as an identity provider's client management does."},
	{Name: "webhooks", Description: "Who is told of clients, and what became of the messages."},
	{Name: "service", Description: "The service itself."},
}

// descriptions supplement the summaries of operations.
var descriptions = map[string]string{
	"getClient":        "Returns the client with its keys. A partner reads its own clients, a token with a scope those of client management.",
	"abandonClient":    "A registration that was never sent is removed immediately. Otherwise the identity provider's record is removed first; the id and the key stay reserved until the provider confirms it. 200 invalid_status for a client that was ever ACTIVE (disable it) or is doubtful (a PARTNER_ADMIN confirms or drops it).",
	"listClientEvents": "Changes and refusals with their actors. A PARTNER_ADMIN also reads the trail of a removed client and the refusals of other callers.",
	"addClientKey":     "Both keys are valid until one is removed. The id never changes. A client has at most two keys. 200 unknown_error if the identity provider cannot change keys.",
	"removeClientKey":  "The only key of a client cannot be removed.",

	"registerPartnerClient":   "The policy says which claims and authentication contexts the client gets. The client is PENDING until the identity provider has it. Sent again by the same caller, it gets the client that it made before; another client with the same key is refused.",
	"updatePartnerClient":     "Every field has to be given. A client that is PENDING or FAILED is corrected by it, with the status ACTIVE. A partner changes its own clients only.",
	"getPartnerClient":        "A partner reads its own clients only.",
	"listPartnerClientEvents": "Changes and refusals with their actors.",
	"listPartnerClients":      "Filters of different names must all hold.",

	"registerProviderClient": "The caller chooses the identifier. Every field that is wrong is named in errors.",
	"updateProviderClient":   "Every field has to be given.",
	"getProviderClient":      "With its key, as a JSON Web Key and as a JWK Set.",
	"getClientKeys":          "For any OpenID Connect software: without an envelope, and 404 for a client that does not exist. Ask again with If-None-Match.",

	"registerEsignetClient":    "The same as under /v1/idp, but for unsupported_grant_type in place of invalid_grant_type.",
	"updateEsignetClient":      "The same as under /v1/idp.",
	"getEsignetClient":         "The same as under /v1/idp.",
	"getEsignetClientKeys":     "The same as under /v1/idp.",
	"registerOauthClient":      "requestTime is needed. A provider that takes no names in other languages makes them a refusal.",
	"updateOauthClient":        "Every field has to be given; without clientNameLangMap the client has no names in other languages.",
	"registerConfiguredClient": "requestTime is needed. Settings that the identity provider cannot be told are refused, each by its name.",
	"updateConfiguredClient":   "Every field has to be given; without additionalConfig the client has no settings. The key to encrypt with stays unless there is another.",
	"patchConfiguredClient":    "Members that are absent or null leave the client as it is.",

	"registerOauthPartnerClient": "As under /oidc/client, with names in other languages, and with the codes PMS_ESI_001 to 008 in place of PMS_IDP_001 to 005.",
	"updateOauthPartnerClient":   "A status that differs from that of the client changes the status alone. INACTIVE is one way, at every path of partner management: PMS_ESI_008.",
	"getOauthPartnerClient":      "The key is text, as partner management has it.",
	"listOauthPartnerClients":    "The newest first unless sorted otherwise. Without pageNo and pageSize the first 200; totalResults says how many there are.",

	"issueInitialAccessToken": "The partner has to be active and its mapping to the policy approved, then as now. The token is told once, and stored as its hash.",
	"registerStandardClient":  "With an initial access token. 201 with the identifier that the identity provider knows; 503 leaves nothing behind, and the use of the token is not counted. Sent again with the same token it answers 201 without a registration access token, which is issued once. A member that protects the client and is not supported is refused by its name.",
	"getStandardClient":       "With the registration access token.",
	"updateStandardClient":    "With the registration access token. All metadata has to be given. Without jwks the keys stay; with it they are those: one may be new, and be there beside the old one until an update leaves that out. A client that was switched off stays so. The body of an answer is accepted.",
	"deleteStandardClient":    "With the registration access token, which ends with every other of the client. The client is INACTIVE from then on.",

	"putPolicy":         "Clients that are registered keep what they got.",
	"getPolicy":         "With the claims and authentication contexts that it grants.",
	"listPolicies":      "By identifier.",
	"putPartner":        "Only an active partner of type Auth_Partner may register clients.",
	"getPartner":        "With the policies that were mapped to it.",
	"listPartners":      "By identifier.",
	"listPolicyEvents":  "Who changed what, and which partners may use it.",
	"listPartnerEvents": "Who changed what, and which policies it may use.",
	"approveMapping":    "From now on the partner may register clients under the policy.",
	"revokeMapping":     "The partner may register no more clients under the policy. Those that are registered stay.",

	"disableClient": "For a caller of the client's side. The client is INACTIVE here from then on, with a reason in its audit trail, and at the identity provider once that has answered: 503 with Retry-After if it has not, and the worker tells it. Sent again, it tells the provider again. One that is PENDING or FAILED is given up instead; one that is doubtful is for a PARTNER_ADMIN.",
	"enableClient":  "For a caller of the client's side: the same as a PUT that changes the status alone, with its checks and approvals.",

	"confirmClient":       "For a doubtful client, of which it is not known what the identity provider has. The identity provider must have the client's id, with the client's key. Where the service can read the identity provider it does so first, and sends a change again that is not there. Else a registration goes on, and an update that was not answered counts as done.",
	"confirmClients":      "As confirmClient for each id, in one call. The calls to the identity provider are made afterwards by the worker: list the doubtful clients again to see the rest.",
	"listDoubtfulClients": "Clients of which it is not known what the identity provider has. Where the service can read the identity provider it does so once an hour, and clients that this settles leave the list by themselves.",
	"getConfiguredClient": "As eSignet 2.0 answers: the id and the status.",
	"dropClient":          "For a doubtful client. A registration is removed here, and nothing is sent to the identity provider: what it has is somebody else's, or has to be removed there. An update that was not answered counts as not done.",

	"importClients": "A dry run unless dryRun is false. The body is up to 1 GiB of NDJSON, a client a line, as an export has it; docs/moving-in.md describes the members. It is read as it comes, for up to an hour, and stored in parts of 1,000 lines: a line that is refused keeps no other out. What is here already, just so, is left alone, so that the same body can be sent again; what is here and differs is refused. What today's rules would refuse of redirect URIs, keys and other fields is taken and flagged in the event. The identity provider is told nothing, and no webhook is sent. One import or export of a caller runs at a time.",
	"exportClients": "NDJSON, a client a line, the oldest first, all as they are at one moment. The last line is {\"end\": {\"clients\", \"sha256\"}}, the number of lines before it and the SHA-256 of their bytes; an export without it is cut. Clients that the identity provider has not confirmed yet are not in it, nor are registration access tokens.",

	"approvalWebhook":   "For the webhooks of the approval service, signed as Standard Webhooks says. Nothing in them is believed: the approval service is asked how the request stands.",
	"createEndpoint":    "It is told of the events that its patterns select, from now on. Answers the secret, which is not shown again.",
	"listEndpoints":     "With what the last attempts at them say.",
	"getEndpoint":       "With what the last attempts at it say.",
	"updateEndpoint":    "Members that are absent stay as they are; lists are replaced whole. An address that changes is checked again, and its failures are forgotten.",
	"deleteEndpoint":    "Its name is free then. Its deliveries stay.",
	"rotateSecret":      "The secret before signs as well for 24 hours, or as long as overlapHours says.",
	"testEndpoint":      "A message of type webhook.test, to this endpoint alone.",
	"listDeliveries":    "Without payload. Filters of different names must all hold.",
	"getDelivery":       "With every attempt.",
	"retryDelivery":     "Starts another six attempts at once, at the endpoint's address of now. One that is being sent, or was delivered, is refused.",
	"recoverDeliveries": "Those of endpoints that are disabled or deleted stay as they are.",

	"health":  "Asks the database each time. 503 while the service cannot do its work.",
	"readyz":  "For load balancers: the same answer as health.",
	"livez":   "For liveness probes. It does not ask the database.",
	"version": "Version of the program, and of Go.",
}
