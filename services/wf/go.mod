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
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/sosodev/duration v1.4.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	pgregory.net/rapid v1.3.0
)

require (
	cel.dev/expr v0.25.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.1 // indirect
	go.yaml.in/yaml/v3 v3.0.4 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
)

replace github.com/countersign/countersign/libs/bearer => ../../libs/bearer

replace github.com/countersign/countersign/libs/egress => ../../libs/egress

replace github.com/countersign/countersign/libs/envelope => ../../libs/envelope

replace github.com/countersign/countersign/libs/sqldb => ../../libs/sqldb

replace github.com/countersign/countersign/libs/web => ../../libs/web

replace github.com/countersign/countersign/libs/strictjson => ../../libs/strictjson
