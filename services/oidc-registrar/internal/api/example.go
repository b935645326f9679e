package api

import "encoding/json"

// Public keys whose private halves nobody has kept.
const (
	firstKey      = `{"kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": "Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo", "y": "siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o"}`
	secondKey     = `{"kty": "EC", "crv": "P-256", "kid": "k2", "use": "sig", "x": "hCRC1yyoyl_Z9JCzwshqcIcjdbqZigFWPPqKfRnVlPY", "y": "pJzIU9WL2qU874udibpOGn6qNmsKtLbqx_i6-9bj0B8"}`
	thirdKey      = `{"kty": "EC", "crv": "P-256", "kid": "k3", "use": "sig", "x": "Wh4Tf4FaE2ckAOxm_ZVEcoTnZXloblpzya31hfqhnRc", "y": "CRKe95XLD8Wlx0Q2K52-24Ft1Xsdcd9Vamw4ejaxGB0"}`
	fourthKey     = `{"kty": "EC", "crv": "P-256", "kid": "k4", "use": "sig", "x": "oc0_EbrewuE5a_7ABcVjvnfCDrYvwmwQZ4otwm1VjbA", "y": "zZqXKvCRyStBJPC05vEwN36vjQicK1S_KY4_TS-bjF0"}`
	fifthKey      = `{"kty": "EC", "crv": "P-256", "kid": "k3", "use": "sig", "x": "v3SN5VDaZxTpdDSzE9TSORwEUSAS_7498ZoB7i7b7uM", "y": "MPGRiWApc63WWzy4aFyIc4X6ba4L3B7QLZtBKzy3pzg"}`
	sixthKey      = `{"kty": "EC", "crv": "P-256", "kid": "k4", "use": "sig", "x": "En9SddwspU8z54CokSrO_jDst7W6GdwKfoZjRs65gCI", "y": "U1X34a3UkPI4S-uVz6fQNB8qt43y2-W9ik55g5HqPds"}`
	seventhKey    = `{"kty": "EC", "crv": "P-256", "kid": "k5", "use": "sig", "x": "bVLyIWgzHm6UiXwS9rQc8DDpb_Oa0oT1u5nw2Py3uKw", "y": "nklnP5tXM-4Z1JFduJGRQCxvVQfrqzxLtQpms9bCjBA"}`
	eighthKey     = `{"kty": "EC", "crv": "P-256", "kid": "k6", "use": "sig", "x": "hBOvphx7xroCbNl7sya4xocYmuSOfWhj4eKxm78sqNo", "y": "cLL8agYhYfVL5kqi3L_xVaL8ghEizZhKZXNfeJSpF_Q"}`
	ninthKey      = `{"kty": "EC", "crv": "P-256", "kid": "k9", "use": "sig", "x": "BcojQ7sOGSwB8zkb3zaNppbJAMsBvaQvsG2df9vlR08", "y": "F2Q5PLC7KVUyqX_s6PCwz5HUZVvo6OL2xK0vP9Jeuys"}`
	tenthKey      = `{"kty": "EC", "crv": "P-256", "kid": "k10", "use": "sig", "x": "guZBF1zBUGlgo_j9oNQGiPZqxpodByNnJzanFn4ol-o", "y": "OCvC7RqlhDjUv8pQVO7BCiwWtblHnVzpKdtRke0Fe5o"}`
	eleventhKey   = `{"kty": "EC", "crv": "P-256", "kid": "k11", "use": "sig", "x": "MrWILFmODwKRFY0p1UjOKM0U2uMd5IVRazX6nYNSCR0", "y": "8KTFko7FR9tOn7hOFk1No3gcsgz5YZrPK93a9xRh3_0"}`
	twelfthKey    = `{"kty": "EC", "crv": "P-256", "kid": "k12", "use": "sig", "x": "NTBYOEz3-4AH8eICQ1jyHBLfVlV9IyygNeaZ-c6vpKE", "y": "aIHZ8-O0wnt3QG-lnivJ6sPjUEhsRVeAWSfDxpKurZM"}`
	thirteenthKey = `{"kty": "EC", "crv": "P-256", "kid": "k13", "use": "sig", "x": "eBkTRsZzjYkO0DkXLK3pde7npqE9TS8zbpwgAVlyUHY", "y": "ba4MJ8FCUKCkh94qEhleUEIiyJd62frg4Lg2JjFLV24"}`
	encKey        = `{"kty": "EC", "crv": "P-256", "kid": "e1", "use": "enc", "x": "ICau0NawQeIEFpfe8l2gFWzcYa5DbG0ea8kcsxzgBTI", "y": "FjewA_iQByaw2DRsXnM4ATxdarGTaHcqBgHJ6oB8iGY"}`

	// exampleTime is as an envelope spells one. It has to be close to the server's.
	exampleTime = `"requestTime": "2026-03-01T12:00:00.000Z", `
)

// examples are the bodies that the document shows. A test sends them: an example
// works whenever somebody tries it, with the sample catalogue.
var examples = map[string]json.RawMessage{
	"issueInitialAccessToken": json.RawMessage(`{"request": {"authPartnerId": "demo-partner", "policyId": "demo-policy", "uses": 1, "expiresIn": 3600}}`),
	"registerStandardClient": json.RawMessage(`{
		"client_name": "Example app", "client_name#fr": "Exemple", "logo_uri": "https://rp.example.org/logo.png",
		"redirect_uris": ["https://rp.example.org/cb"], "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [` + ninthKey + `]}
	}`),
	"updateStandardClient": json.RawMessage(`{
		"client_id": "CLIENT_ID", "client_name": "Example app", "logo_uri": "https://rp.example.org/logo.png",
		"redirect_uris": ["https://rp.example.org/cb", "https://rp.example.org/other"]
	}`),

	"putPolicy":  json.RawMessage(`{"request": {"name": "Name and email", "type": "Auth", "status": "ACTIVE", "userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"]}}`),
	"putPartner": json.RawMessage(`{"request": {"name": "Example partner", "type": "Auth_Partner", "status": "ACTIVE", "logoUri": "https://rp.example.org/logo.png"}}`),
	"registerPartnerClient": json.RawMessage(`{"request": {
		"name": "Example portal", "policyId": "demo-policy", "authPartnerId": "demo-partner", "publicKey": ` + firstKey + `,
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/callback"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"]
	}}`),
	"updatePartnerClient": json.RawMessage(`{"request": {
		"clientName": "Example portal", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/callback"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "INACTIVE"
	}}`),
	"addPartnerKey":      json.RawMessage(`{"request": {"publicKey": ` + thirdKey + `}}`),
	"addProviderKey":     json.RawMessage(`{"request": {"publicKey": ` + fourthKey + `}}`),
	"addOauthPartnerKey": json.RawMessage(`{"request": {"publicKey": ` + tenthKey + `}}`),
	"addEsignetKey":      json.RawMessage(`{"request": {"publicKey": ` + eleventhKey + `}}`),
	"addOauthKey":        json.RawMessage(`{` + exampleTime + `"request": {"publicKey": ` + twelfthKey + `}}`),
	"addConfiguredKey":   json.RawMessage(`{` + exampleTime + `"request": {"publicKey": ` + thirteenthKey + `}}`),
	"approvalWebhook":    json.RawMessage(`{"type": "request.approved", "timestamp": "2026-01-15T10:22:31.118Z", "data": {"request": {"id": "0199c0de-0000-7000-8000-000000000000", "status": "approved"}}}`),
	"registerProviderClient": json.RawMessage(`{"request": {
		"clientId": "example-app", "clientName": "Example app", "relyingPartyId": "example-rp", "publicKey": ` + secondKey + `,
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"]
	}}`),
	"createEndpoint":    json.RawMessage(`{"request": {"name": "portal", "url": "https://portal.example.org/hooks", "events": ["client.*"], "policyIds": ["*"]}}`),
	"updateEndpoint":    json.RawMessage(`{"request": {"events": ["client.activated", "client.deactivated"]}}`),
	"rotateSecret":      json.RawMessage(`{"request": {"overlapHours": 48}}`),
	"recoverDeliveries": json.RawMessage(`{"request": {"endpoint": "portal", "createdAfter": "2026-11-21T00:00:00Z", "createdBefore": "2026-11-22T00:00:00Z"}}`),
	"updateProviderClient": json.RawMessage(`{"request": {
		"clientName": "Example app", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE"
	}}`),
	"registerEsignetClient": json.RawMessage(`{"request": {
		"clientId": "example-esignet", "clientName": "Example app", "relyingPartyId": "example-rp", "publicKey": ` + fifthKey + `,
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"]
	}}`),
	"updateEsignetClient": json.RawMessage(`{"request": {
		"clientName": "Example app", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE"
	}}`),
	"registerOauthClient": json.RawMessage(`{` + exampleTime + `"request": {
		"clientId": "example-oauth", "clientName": "Example app", "relyingPartyId": "example-rp", "publicKey": ` + sixthKey + `,
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "clientNameLangMap": {"fra": "Exemple"}
	}}`),
	"updateOauthClient": json.RawMessage(`{` + exampleTime + `"request": {
		"clientName": "Example app", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE", "clientNameLangMap": {"fra": "Exemple"}
	}}`),
	"registerConfiguredClient": json.RawMessage(`{` + exampleTime + `"request": {
		"clientId": "example-client", "clientName": "Example app", "relyingPartyId": "example-rp", "publicKey": ` + seventhKey + `,
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"],
		"additionalConfig": {"require_pkce": true, "userinfo_response_type": "JWE"}, "encPublicKey": ` + encKey + `
	}}`),
	"updateConfiguredClient": json.RawMessage(`{` + exampleTime + `"request": {
		"clientName": "Example app", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE", "additionalConfig": {"require_pkce": true}
	}}`),
	"patchConfiguredClient": json.RawMessage(`{` + exampleTime + `"request": {"status": "INACTIVE"}}`),
	"registerOauthPartnerClient": json.RawMessage(`{"request": {
		"name": "Example portal", "policyId": "demo-policy", "authPartnerId": "demo-partner", "publicKey": ` + eighthKey + `,
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/callback"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "clientNameLangMap": {"fra": "Portail"}
	}}`),
	"updateOauthPartnerClient": json.RawMessage(`{"request": {
		"clientName": "Example portal", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/callback"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE", "clientNameLangMap": {"fra": "Portail"}
	}}`),
}

// exampleRecord is a line of an import.
const exampleRecord = `{"clientId":"example-moved","door":"provider","clientName":"Example app","partnerId":"example-rp","publicKey":` +
	`{"kty":"EC","crv":"P-256","x":"UHU1gBIRsHR0kqlD445o2WAQQ9CmddJvtlBDwEKdZeQ","y":"-vB5aTe0XZu9LM5F5V2wBWoOH7hNjtHTTQ7gcLT-72I"},` +
	`"userClaims":["name"],"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example.org/logo.png",` +
	`"redirectUris":["https://rp.example.org/app"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}` + "\n"
