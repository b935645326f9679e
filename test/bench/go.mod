module github.com/countersign/countersign/test/bench

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/countersign/countersign/libs/egress v0.0.0
	github.com/jackc/pgx/v5 v5.12.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
)

require (
	code.dny.dev/ssrf v0.3.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/countersign/countersign/libs/egress => ../../libs/egress
