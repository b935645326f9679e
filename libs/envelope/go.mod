module github.com/countersign/countersign/libs/envelope

go 1.26.0
