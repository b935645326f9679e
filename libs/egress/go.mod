module github.com/countersign/countersign/libs/egress

go 1.26.0

require (
	code.dny.dev/ssrf v0.3.0
	github.com/hashicorp/go-retryablehttp v0.7.8
	golang.org/x/net v0.56.0
)

require (
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	golang.org/x/text v0.38.0 // indirect
)
