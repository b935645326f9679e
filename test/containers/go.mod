module github.com/countersign/countersign/test/containers

go 1.26.0

require github.com/goccy/go-yaml v1.19.2
