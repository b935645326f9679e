module github.com/countersign/countersign/test/clients

go 1.26.0
