// Package release tests deploy/release without GitHub: it tags a copy of the repository and installs
// the services from the release.
package release
