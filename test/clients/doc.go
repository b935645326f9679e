// Package clients tests the OpenAPI documents with client generators: it generates clients, compiles
// them and calls the programs. Each folder of testdata is a program that uses one generator.
package clients
