// Package kubernetes checks the Helm charts of deploy/helm with the programs of deploy/dev/kubernetes.sh: as
// rendered by Helm, by the schemas of Kubernetes, and by a kube-apiserver without nodes.
package kubernetes
