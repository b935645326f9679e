module github.com/countersign/countersign/services/oidc-registrar

go 1.26.0

require (
	github.com/countersign/countersign/libs/egress v0.0.0
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/nlnwa/whatwg-url v0.6.2
)

require (
	code.dny.dev/ssrf v0.3.0 // indirect
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/countersign/countersign/libs/bearer => ../../libs/bearer

replace github.com/countersign/countersign/libs/egress => ../../libs/egress

replace github.com/countersign/countersign/libs/envelope => ../../libs/envelope

replace github.com/countersign/countersign/libs/sqldb => ../../libs/sqldb

replace github.com/countersign/countersign/libs/web => ../../libs/web

replace github.com/countersign/countersign/libs/strictjson => ../../libs/strictjson
