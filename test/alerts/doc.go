// Package alerts tests deploy/prometheus and deploy/grafana with the parser and the rule engine of
// Prometheus, and with the metrics of the programs. It does not use the rule tester of Prometheus, which
// depends on its storage and on the clients of three cloud providers.
package alerts
