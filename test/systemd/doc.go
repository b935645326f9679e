// Package systemd holds the units of deploy/systemd to what the services need.
package systemd
