// Package alerts tests deploy/prometheus and deploy/grafana with promtool, of Debian's package prometheus. The tests
// of the services check that the metrics exist.
package alerts
