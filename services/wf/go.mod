module github.com/countersign/countersign/services/wf

go 1.26.0

require (
	cel.dev/cel-go v0.33.2
	github.com/alecthomas/kong v1.17.0
	github.com/countersign/countersign/libs/bearer v0.0.0
	github.com/countersign/countersign/libs/egress v0.0.0
	github.com/countersign/countersign/libs/envelope v0.0.0
	github.com/countersign/countersign/libs/sqldb v0.0.0
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/countersign/countersign/libs/web v0.0.0
	github.com/evanphx/json-patch/v5 v5.9.11
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/sosodev/duration v1.4.0
	pgregory.net/rapid v1.3.0
)

replace github.com/countersign/countersign/libs/bearer => ../../libs/bearer

replace github.com/countersign/countersign/libs/egress => ../../libs/egress

replace github.com/countersign/countersign/libs/envelope => ../../libs/envelope

replace github.com/countersign/countersign/libs/sqldb => ../../libs/sqldb

replace github.com/countersign/countersign/libs/web => ../../libs/web

replace github.com/countersign/countersign/libs/strictjson => ../../libs/strictjson
