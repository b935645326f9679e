// Package upgrade starts the current programs on the databases of earlier versions, and checks the
// rules for migrations. testdata/VERSION has a dump of each service and database at that version,
// with data in every state; the dumps of 0.1.0 are written by
//
//	go test ./test/upgrade -run TestWriteDumps -update
package upgrade
