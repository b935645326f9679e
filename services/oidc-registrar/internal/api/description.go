package api

import "github.com/danielgtaylor/huma/v2"

// tags are the groups of operations in the document.
var tags = []*huma.Tag{
	{Name: "partner management", Description: "Clients that are registered under a policy, and the catalogue of policies and partners."},
	{Name: "identity provider", Description: "Clients that are registered with named claims, as in an identity provider's client management."},
	{Name: "webhooks", Description: "Endpoints that receive events about clients, and the deliveries to them."},
	{Name: "service", Description: "The service itself."},
}

const (
	asIDP      = "The same as under /v1/idp."
	fullUpdate = "Every field is required."
)

// descriptions supplement the summaries of operations.
var descriptions = map[string]string{
	"getClient": "Returns the client with its keys. A partner reads its own clients, a token with a scope those of " +
		"client management.",
	"listClients": "Clients of partner management, of client management and of the RFC 7591 API. A partner sees its own " +
		"clients, PARTNER_ADMIN those of both interfaces. Filters with different names are combined with AND.",
	"abandonClient": "A registration that was never sent is removed immediately. Otherwise the identity provider's record " +
		"is removed first; the id and the key stay reserved until the provider confirms it. 200 invalid_status for a " +
		"client that was ever ACTIVE (disable it) or is doubtful (a PARTNER_ADMIN confirms or drops it).",
	"listClientEvents": "Changes and refusals with their actors. A PARTNER_ADMIN also reads the trail of a removed client " +
		"and the refusals of other callers.",
	"addClientKey": "Both keys are valid until one is removed. The id never changes. A client has at most two keys. " +
		"200 unknown_error if the identity provider cannot change keys.",
	"removeClientKey":      "The only key of a client cannot be removed.",
	"removeNamedClientKey": "The kid may have any characters. The only key of a client cannot be removed.",

	"registerPartnerClient": "The policy grants the claims and authentication contexts. The client is PENDING until the " +
		"identity provider confirms it. A repeated request of the same caller returns the existing client; another client " +
		"with the same key is refused.",
	"updatePartnerClient": fullUpdate + " The status ACTIVE corrects a PENDING or FAILED client. A partner changes only " +
		"its own clients.",
	"getPartnerClient":   "A partner reads only its own clients.",
	"listPartnerClients": "Filters with different names are combined with AND.",

	"registerProviderClient": "The caller chooses the identifier. errors names every invalid field.",
	"updateProviderClient":   fullUpdate,
	"getProviderClient":      "Includes the key as a JSON Web Key and as a JWK Set.",
	"getClientKeys": "For any OpenID Connect software: without an envelope, and 404 for an unknown client. Supports " +
		"If-None-Match.",

	"registerEsignetClient": "The same as under /v1/idp, except for unsupported_grant_type in place of invalid_grant_type.",
	"updateEsignetClient":   asIDP,
	"getEsignetClient":      asIDP,
	"getEsignetClientKeys":  asIDP,
	"registerOauthClient": "requestTime is required. Names in other languages are refused if the identity provider does " +
		"not support them.",
	"updateOauthClient": fullUpdate + " Without clientNameLangMap the names in other languages are removed.",
	"registerConfiguredClient": "requestTime is required. Settings that the identity provider does not support are refused " +
		"by name.",
	"updateConfiguredClient": fullUpdate + " Without additionalConfig the settings are removed. The encryption key changes " +
		"only if the request has one.",
	"patchConfiguredClient": "Absent members and null leave the field unchanged.",
	"getConfiguredClient":   "The id and the status, as in eSignet 2.0.",

	"registerOauthPartnerClient": "As under /oidc/client, with names in other languages, and with the codes PMS_ESI_001 to " +
		"008 in place of PMS_IDP_001 to 005.",
	"updateOauthPartnerClient": "A status that differs from that of the client changes only the status. INACTIVE is final " +
		"at every path of partner management: PMS_ESI_008.",
	"getOauthPartnerClient": "The key is text, as in partner management.",
	"listOauthPartnerClients": "The newest first unless sorted otherwise. Without pageNo and pageSize the first 200; " +
		"totalResults is the number of all clients.",

	"issueInitialAccessToken": "The partner must be active and its mapping to the policy approved, at issue and at use. " +
		"The token is returned once and stored as its hash.",
	"listInitialAccessTokens": "Tokens that have not expired, without their secret; also those without uses left.",
	"revokeInitialAccessToken": "The token registers no further clients. Clients that it registered remain. 200 " +
		"token_not_found for an unknown, expired or revoked token. The trail of the partner and of the policy names the " +
		"token and the actor.",
	"registerStandardClient": "Requires an initial access token, but for open registration. 201 with the identifier at the identity provider. After " +
		"503 nothing is stored and the use of the token is not counted. A repetition with the same token returns 201 " +
		"without a registration access token, which is issued once. Under a policy with approval the client is PENDING until " +
		"people have decided. An unsupported member that protects the client is refused by name.",
	"getStandardClient": "Requires the registration access token.",
	"updateStandardClient": "Requires the registration access token and all metadata. Without jwks the keys are unchanged. " +
		"With jwks the client has these keys: one may be new, and it may be listed beside the old one until an update omits " +
		"that. An INACTIVE client remains INACTIVE. The body of a response is accepted.",
	"deleteStandardClient": "Requires the registration access token and revokes all tokens of the client. The client is " +
		"INACTIVE from then on.",

	"putPolicy":         "Registered clients do not change.",
	"getPolicy":         "Includes the claims and authentication contexts that it grants.",
	"listPolicies":      "Sorted by identifier.",
	"putPartner":        "Only an active partner of type Auth_Partner may register clients.",
	"getPartner":        "Includes the policies that are mapped to it.",
	"listPartners":      "Sorted by identifier.",
	"listPolicyEvents":  "Changes of the policy and of its mappings, with their actors.",
	"listPartnerEvents": "Changes of the partner and of its mappings, with their actors.",
	"requestMapping": "The request is InProgress until it is decided. PMS_PRT_055 for another's partner. People " +
		"decide with REGISTRAR_APPROVAL_MAPPING_POLICY, else a PARTNER_ADMIN.",
	"decideMapping": "A decision is final; the partner may ask again after a rejection. 403 if people decide.",
	"listMappingRequests": "The newest first unless sorted otherwise. Without pageNo and pageSize the first 200; " +
		"totalResults is the number of all requests.",
	"approveMapping": "The partner may register clients under the policy from then on.",
	"revokeMapping":  "The partner may register no further clients under the policy. Registered clients remain.",

	"disableClient": "The client is INACTIVE here immediately, with the reason in its audit trail, and at the identity " +
		"provider after its response. Without a response: 503 with Retry-After, and the worker repeats the call. A repeated " +
		"request sends the call again. A PENDING or FAILED registration is abandoned instead; a doubtful client requires a " +
		"PARTNER_ADMIN.",
	"enableClient": "The same as a PUT that changes only the status, with its checks and approvals.",

	"confirmClient": "For a doubtful client. The identity provider must have the client's id with the client's key. If the " +
		"provider can be read, the service reads it first and sends a missing change again. Otherwise a registration " +
		"continues, and an update without a response counts as done.",
	"listDoubtfulClients": "Clients whose state at the identity provider is unknown. If the provider can be read, the " +
		"service reads it once an hour, and resolved clients leave the list.",
	"dropClient": "For a doubtful client. A registration is removed here, and no call is sent to the identity provider: its " +
		"client has another owner, or must be removed there. An update without a response counts as not done.",

	"importClients": "A dry run unless dryRun is false. The body is up to 1 GiB of NDJSON, one client a line, in the form of " +
		"an export; docs/moving-in.md describes the members. It is read for up to an hour and stored in parts of 1,000 lines. " +
		"A refused line does not stop the others. A line that equals a stored client is skipped, so the same body can be " +
		"sent again; a line that differs from it is refused. Redirect URIs, keys and other fields that the current rules " +
		"refuse are accepted and flagged in the event. No call is sent to the identity provider, and no webhook. A caller " +
		"runs one import or export at a time.",
	"exportClients": "NDJSON, one client a line, the oldest first, from one snapshot, without unconfirmed clients and " +
		"registration access tokens.",

	"listAudit": "Changes and refusals of every client with their actors, also of removed clients. An entry of kind purged " +
		"has the number of old entries that were deleted. Filters with different names are combined with AND.",
	"exportAudit": "NDJSON, the oldest first, from one snapshot, with the filters of the list. The last line is {\"end\": " +
		"{\"events\", \"sha256\"}}: the number of lines before it and the SHA-256 of their bytes; an export without it is " +
		"incomplete. A caller runs one import or export at a time.",

	"approvalWebhook": "Receives webhooks of the approval service, signed by Standard Webhooks. The service uses only the " +
		"request id and reads the state of the request from the approval service.",
	"createEndpoint":    "The endpoint receives new events that its patterns select. The secret is returned once.",
	"listEndpoints":     "Includes the results of the last attempts.",
	"getEndpoint":       "Includes the results of the last attempts.",
	"updateEndpoint":    "Absent members are unchanged; lists are replaced. A new URL is checked, and the failures are reset.",
	"deleteEndpoint":    "Its name becomes free. Its deliveries remain.",
	"rotateSecret":      "The previous secret also signs for 24 hours, or for overlapHours.",
	"testEndpoint":      "Sends a message of type webhook.test to this endpoint.",
	"listDeliveries":    "Without payload. Filters with different names are combined with AND.",
	"getDelivery":       "Includes every attempt.",
	"retryDelivery":     "Starts six further attempts at the endpoint's current URL. Refused for a delivery in flight or done.",
	"recoverDeliveries": "Deliveries of disabled or deleted endpoints do not change.",

	"health":  "Calls the database. 503 while the service is not available.",
	"readyz":  "For load balancers: the same response as health.",
	"livez":   "For liveness probes. Does not call the database.",
	"version": "Version of the program and of Go.",
}
