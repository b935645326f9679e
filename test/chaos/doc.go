// Package chaos tests the programs under faults: rolling restarts under load, database outages and full
// disks, killed processes, a failover. It covers behaviour that depends on time; behaviour that depends on order
// is covered in the packages.
//
// make check SUITE=chaos runs it with COUNTERSIGN_CHAOS=1, without which it is skipped. Each test has a database of its own on the server in TEST_POSTGRES_URL.
package chaos
