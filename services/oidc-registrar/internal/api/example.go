package api

import (
	_ "embed"

	"github.com/countersign/countersign/libs/web"
)

// examples are the bodies that the document shows. A test sends them: an example works
// whenever somebody tries it, with the sample catalogue. Nobody has kept the private halves
// of their keys, and each requestTime has to be close to the server's.
var examples = web.Examples[string](examplesFile)

//go:embed examples.json
var examplesFile []byte

// exampleRecord is a line of an import.
const exampleRecord = `{"clientId":"example-moved","door":"provider","clientName":"Example app","partnerId":"example-rp","publicKey":` +
	`{"kty":"EC","crv":"P-256","x":"UHU1gBIRsHR0kqlD445o2WAQQ9CmddJvtlBDwEKdZeQ","y":"-vB5aTe0XZu9LM5F5V2wBWoOH7hNjtHTTQ7gcLT-72I"},` +
	`"userClaims":["name"],"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example.org/logo.png",` +
	`"redirectUris":["https://rp.example.org/app"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}` + "\n"
