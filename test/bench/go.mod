module github.com/countersign/countersign/test/bench

go 1.26.0
