module github.com/countersign/countersign/libs/keycloaktest

go 1.26.0
