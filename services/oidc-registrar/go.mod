module github.com/countersign/countersign/services/oidc-registrar

go 1.26.0

require (
	github.com/countersign/countersign/libs/bearer v0.0.0
	github.com/countersign/countersign/libs/egress v0.0.0
	github.com/countersign/countersign/libs/envelope v0.0.0
	github.com/countersign/countersign/libs/sqldb v0.0.0
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/countersign/countersign/libs/web v0.0.0
)

replace github.com/countersign/countersign/libs/bearer => ../../libs/bearer

replace github.com/countersign/countersign/libs/egress => ../../libs/egress

replace github.com/countersign/countersign/libs/envelope => ../../libs/envelope

replace github.com/countersign/countersign/libs/sqldb => ../../libs/sqldb

replace github.com/countersign/countersign/libs/web => ../../libs/web

replace github.com/countersign/countersign/libs/strictjson => ../../libs/strictjson
