// Package chaos tests the programs under faults: rolling restarts and upgrades under load, database
// outages, killed processes. It covers behaviour that depends on time; behaviour that depends on order
// is covered in the packages.
//
// make check SUITE=chaos runs it with COUNTERSIGN_CHAOS=1, without which all but a small upgrade under load is
// skipped. Each test has a database of its own on the server in TEST_POSTGRES_URL.
package chaos
