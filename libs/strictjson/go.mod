module github.com/countersign/countersign/libs/strictjson

go 1.26.0
