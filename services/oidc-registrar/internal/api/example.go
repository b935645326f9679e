package api

import "encoding/json"

// Public keys whose private halves nobody has kept.
const (
	firstKey  = `{"kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": "Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo", "y": "siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o"}`
	secondKey = `{"kty": "EC", "crv": "P-256", "kid": "k2", "use": "sig", "x": "hCRC1yyoyl_Z9JCzwshqcIcjdbqZigFWPPqKfRnVlPY", "y": "pJzIU9WL2qU874udibpOGn6qNmsKtLbqx_i6-9bj0B8"}`
	thirdKey  = `{"kty": "EC", "crv": "P-256", "kid": "k3", "use": "sig", "x": "Wh4Tf4FaE2ckAOxm_ZVEcoTnZXloblpzya31hfqhnRc", "y": "CRKe95XLD8Wlx0Q2K52-24Ft1Xsdcd9Vamw4ejaxGB0"}`
	fourthKey = `{"kty": "EC", "crv": "P-256", "kid": "k4", "use": "sig", "x": "oc0_EbrewuE5a_7ABcVjvnfCDrYvwmwQZ4otwm1VjbA", "y": "zZqXKvCRyStBJPC05vEwN36vjQicK1S_KY4_TS-bjF0"}`
)

// examples are the bodies that the document shows. A test sends them: an example
// works whenever somebody tries it, with the sample catalogue.
var examples = map[string]json.RawMessage{
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
	"addPartnerKey":  json.RawMessage(`{"request": {"publicKey": ` + thirdKey + `}}`),
	"addProviderKey": json.RawMessage(`{"request": {"publicKey": ` + fourthKey + `}}`),
	"registerProviderClient": json.RawMessage(`{"request": {
		"clientId": "example-app", "clientName": "Example app", "relyingPartyId": "example-rp", "publicKey": ` + secondKey + `,
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"]
	}}`),
	"updateProviderClient": json.RawMessage(`{"request": {
		"clientName": "Example app", "logoUri": "https://rp.example.org/logo.png", "redirectUris": ["https://rp.example.org/app"],
		"userClaims": ["name", "email"], "authContextRefs": ["mosip:idp:acr:password"],
		"grantTypes": ["authorization_code"], "clientAuthMethods": ["private_key_jwt"], "status": "ACTIVE"
	}}`),
}
