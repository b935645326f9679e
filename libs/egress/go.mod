module github.com/countersign/countersign/libs/egress

go 1.26.0

require (
	code.dny.dev/ssrf v0.3.0
	github.com/hashicorp/go-retryablehttp v0.7.8
)
