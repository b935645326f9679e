// Package chaos tries the real programs where seconds count: restarts under load, databases
// that say no, processes that die. What can be said by order and outcome is said in the
// tests of the packages; this is for what only time shows.
//
// make chaos runs it. Its tests are skipped unless COUNTERSIGN_CHAOS=1. Each test makes a
// database of its own on the server in TEST_POSTGRES_URL.
package chaos
