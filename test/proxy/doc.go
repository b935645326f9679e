// Package proxy runs the services behind the reverse proxy that docs/operating.md configures.
package proxy
