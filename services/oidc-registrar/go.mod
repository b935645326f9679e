module github.com/countersign/countersign/services/oidc-registrar

go 1.26.0

require (
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/nlnwa/whatwg-url v0.6.2
)

require (
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/countersign/countersign/libs/bearer => ../../libs/bearer

replace github.com/countersign/countersign/libs/egress => ../../libs/egress

replace github.com/countersign/countersign/libs/envelope => ../../libs/envelope

replace github.com/countersign/countersign/libs/sqldb => ../../libs/sqldb

replace github.com/countersign/countersign/libs/web => ../../libs/web

replace github.com/countersign/countersign/libs/strictjson => ../../libs/strictjson
