// Package cli is the service on the command line, for people (their inbox, one request, a
// decision, a new request) and for operators. It calls the API as any other program does, and knows none of
// the service's code.
package cli
