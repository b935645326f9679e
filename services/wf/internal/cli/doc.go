// Package cli contains the commands for users (inbox, show, decide, create) and for operators. It
// calls the public API and imports no other package of the service.
package cli
