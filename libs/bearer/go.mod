module github.com/countersign/countersign/libs/bearer

go 1.26.0

require (
	github.com/countersign/countersign/libs/egress v0.0.0
	github.com/countersign/countersign/libs/strictjson v0.0.0
	github.com/lestrrat-go/jwx/v2 v2.1.7
	golang.org/x/sync v0.24.0
)

replace github.com/countersign/countersign/libs/egress => ../egress

replace github.com/countersign/countersign/libs/strictjson => ../strictjson
