package api

import (
	_ "embed"

	"github.com/countersign/countersign/libs/web"
)

// examples are the example bodies of the document. A test sends them, so they work with the sample
// catalogue. The private halves of their keys are deleted, and each requestTime must be close to
// the server's time.
var examples = web.Examples[string](examplesFile)

//go:embed examples.json
var examplesFile []byte

// exampleRecord is a line of an import.
const exampleRecord = `{"clientId":"example-moved","api":"provider","clientName":"Example app","partnerId":"example-rp","publicKey":` +
	`{"kty":"EC","crv":"P-256","x":"UHU1gBIRsHR0kqlD445o2WAQQ9CmddJvtlBDwEKdZeQ","y":"-vB5aTe0XZu9LM5F5V2wBWoOH7hNjtHTTQ7gcLT-72I"},` +
	`"userClaims":["name"],"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example.org/logo.png",` +
	`"redirectUris":["https://rp.example.org/app"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}` + "\n"
