// Package systemd tests the units of deploy/systemd with the programs.
package systemd
