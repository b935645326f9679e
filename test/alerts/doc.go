// Package alerts tests deploy/prometheus and deploy/grafana: with Prometheus's own
// packages, and against what the programs show. It uses its parser and its engine, and
// not its package for such tests: that one needs the storage, and with it the clients of
// three clouds.
package alerts
