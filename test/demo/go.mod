module github.com/countersign/countersign/test/demo

go 1.26.0
