// Package release tries what deploy/release does for a release, without GitHub: its
// tests tag a copy of the repository and install the services from there.
package release
