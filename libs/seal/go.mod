module github.com/countersign/countersign/libs/seal

go 1.26.0
