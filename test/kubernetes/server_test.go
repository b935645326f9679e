package kubernetes

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/test/programs"
)

// server is a kube-apiserver without nodes and controllers: it validates objects, and nothing acts on them.
type server struct {
	t      *testing.T
	url    string
	client http.Client
}

const token = "of-the-test"

func startServer(t *testing.T) *server {
	t.Helper()
	etcd, apiserver := program(t, "ETCD"), program(t, "KUBE_APISERVER")
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyFile := write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	tokens := write("tokens.csv", token+",admin,1,system:masters\n")

	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder}
	store, peers := "http://"+freeAddress(t), "http://"+freeAddress(t)
	database := programs.Run(t, folder, env, etcd, "--data-dir="+filepath.Join(folder, "etcd"), "--listen-client-urls="+store,
		"--advertise-client-urls="+store, "--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	process := programs.Run(t, folder, env, apiserver, "--etcd-servers="+store, "--cert-dir="+filepath.Join(folder, "certs"),
		"--bind-address=127.0.0.1", "--secure-port="+port, "--token-auth-file="+tokens, "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.example.org", "--service-account-key-file="+keyFile,
		"--service-account-signing-key-file="+keyFile, "--service-cluster-ip-range=10.96.0.0/16",
		"--disable-admission-plugins=ServiceAccount") // no controller creates the account of a namespace

	s := &server{t: t, url: "https://" + address}
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // #nosec G402 -- its own certificate
	deadline := time.Now().Add(3 * time.Minute)
	for {
		if status, _, _, err := s.call(http.MethodGet, "/readyz", "", nil); err == nil && status == http.StatusOK {
			return s
		}
		select {
		case <-process.Done():
			t.Fatalf("kube-apiserver ended\n%s", process.Log.String())
		case <-database.Done():
			t.Fatalf("etcd ended\n%s", database.Log.String())
		case <-time.After(time.Second):
		}
		if time.Now().After(deadline) {
			t.Fatalf("kube-apiserver is not ready\n%s", process.Log.String())
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// call returns the warnings of the API server beside its reply.
func (s *server) call(method, path, contentType string, body []byte) (status int, reply string, warnings []string, err error) {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", contentType)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), response.Header.Values("Warning"), err
}

// create creates an object, which must succeed without a warning.
func (s *server) create(path string, object any) {
	s.t.Helper()
	content, err := json.Marshal(object)
	if err != nil {
		s.t.Fatal(err)
	}
	status, reply, warnings, err := s.call(http.MethodPost, path, "application/json", content)
	if err != nil || status != http.StatusCreated || len(warnings) != 0 {
		s.t.Fatalf("POST %s: %d, %v, %q, %s", path, status, err, warnings, reply)
	}
}

// resources are the paths of the kinds of the charts.
var resources = map[string]string{
	"Deployment": "deployments", "Service": "services", "Job": "jobs", "CronJob": "cronjobs", "NetworkPolicy": "networkpolicies",
	"PodDisruptionBudget": "poddisruptionbudgets", "HorizontalPodAutoscaler": "horizontalpodautoscalers", "Ingress": "ingresses",
	"ServiceMonitor": "servicemonitors", "PrometheusRule": "prometheusrules",
}

const namespace = "countersign"

// dryRun applies an object on the server side without storing it. Unknown fields are errors.
func (s *server) dryRun(t *testing.T, m manifest) {
	t.Helper()
	group := "/apis/" + m.APIVersion
	if m.APIVersion == "v1" {
		group = "/api/v1"
	}
	path := fmt.Sprintf("%s/namespaces/%s/%s/%s?dryRun=All&fieldManager=test&fieldValidation=Strict", group, namespace,
		resources[m.Kind], m.Metadata.Name)
	status, reply, warnings, err := s.call(http.MethodPatch, path, "application/apply-patch+yaml", m.text)
	if err != nil || status != http.StatusCreated || len(warnings) != 0 {
		t.Errorf("%s %s: %d, %v, %q, %s", m.Kind, m.Metadata.Name, status, err, warnings, reply)
	}
}

// prepare creates a namespace with the restricted standard, and definitions of the two kinds of the Prometheus
// Operator with the fields that the charts use.
func (s *server) prepare() {
	s.create("/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
		"name":   namespace,
		"labels": map[string]string{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"},
	}})
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	list := func(items map[string]any) map[string]any { return map[string]any{"type": "array", "items": items} }
	texts := map[string]any{"type": "object", "additionalProperties": text}
	for kind, spec := range map[string]map[string]any{
		"ServiceMonitor": object(map[string]any{
			"jobLabel": text, "selector": object(map[string]any{"matchLabels": texts}),
			"endpoints": list(object(map[string]any{"port": text, "interval": text})),
		}),
		"PrometheusRule": object(map[string]any{"groups": list(object(map[string]any{
			"name": text, "rules": list(object(map[string]any{"alert": text, "expr": text, "for": text, "labels": texts, "annotations": texts})),
		}))}),
	} {
		plural := resources[kind]
		s.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{
				"name":        plural + ".monitoring.coreos.com",
				"annotations": map[string]string{"api-approved.kubernetes.io": "unapproved, a definition of a test"},
			},
			"spec": map[string]any{
				"group": "monitoring.coreos.com", "scope": "Namespaced",
				"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
				"versions": []any{map[string]any{
					"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": object(map[string]any{"spec": spec})},
				}},
			},
		})
	}
	for kind := range map[string]bool{"ServiceMonitor": true, "PrometheusRule": true} {
		path := "/apis/monitoring.coreos.com/v1/namespaces/" + namespace + "/" + resources[kind]
		for deadline := time.Now().Add(time.Minute); ; <-time.After(200 * time.Millisecond) {
			if status, reply, _, err := s.call(http.MethodGet, path, "", nil); err == nil && status == http.StatusOK {
				break
			} else if time.Now().After(deadline) {
				s.t.Fatalf("GET %s: %d, %v, %s", path, status, err, reply)
			}
		}
	}
}

func TestAnAPIServerAcceptsTheCharts(t *testing.T) {
	helm := program(t, "HELM")
	s := startServer(t)
	s.prepare()

	eachExample(t, func(t *testing.T, chart, file string) {
		kinds := 0
		for _, m := range render(t, chart, "--namespace", namespace, "--values", file) {
			s.dryRun(t, m)
			kinds++
			if _, found := m.podOf(t); !found {
				continue
			}
			// Controllers create the pods, so the standard is enforced for pods alone.
			status, reply, warnings, err := s.call(http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods?dryRun=All&fieldValidation=Strict",
				"application/json", podManifest(t, m))
			if err != nil || status != http.StatusCreated || len(warnings) != 0 {
				t.Errorf("the pod of %s %s: %d, %v, %q, %s", m.Kind, m.Metadata.Name, status, err, warnings, reply)
			}
		}
		if kinds < 5 {
			t.Errorf("%d objects", kinds)
		}
	})

	// The server refuses the defects that these tests detect.
	t.Run("refusals", func(t *testing.T) {
		m := findObject(t, render(t, "wf", "--values", example("wf", "minimal"), "--set",
			"podSecurityContext.seccompProfile.type=Unconfined"), "Deployment", "wf")
		status, reply, _, err := s.call(http.MethodPost, "/api/v1/namespaces/"+namespace+"/pods?dryRun=All", "application/json", podManifest(t, m))
		if err != nil || status != http.StatusForbidden || !strings.Contains(reply, "seccompProfile") {
			t.Errorf("an unconfined pod: %d, %v, %s", status, err, reply)
		}
	})

	t.Run("install, upgrade, roll back", func(t *testing.T) {
		kubeconfig := filepath.Join(t.TempDir(), "config")
		config := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "test",
			"contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": %q}}],
			"clusters": [{"name": "test", "cluster": {"server": %q, "insecure-skip-tls-verify": true}}],
			"users": [{"name": "test", "user": {"token": %q}}]}`, namespace, s.url, token)
		if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		// Without the hooks: no controller runs the Job.
		do := func(arguments ...string) {
			t.Helper()
			if _, err := run(t, helm, append(arguments, "--kubeconfig", kubeconfig, "--no-hooks")...); err != nil {
				t.Fatalf("helm %q: %v", arguments, err)
			}
		}
		replicas := func(want int) {
			t.Helper()
			status, reply, _, err := s.call(http.MethodGet, "/apis/apps/v1/namespaces/"+namespace+"/deployments/wf", "", nil)
			var deployment struct {
				Spec struct {
					Replicas int `json:"replicas"`
				} `json:"spec"`
			}
			if err != nil || status != http.StatusOK || json.Unmarshal([]byte(reply), &deployment) != nil || deployment.Spec.Replicas != want {
				t.Errorf("%d, %v, %d replicas, want %d", status, err, deployment.Spec.Replicas, want)
			}
		}
		do("install", "wf", chartOf("wf"), "--values", example("wf", "minimal"))
		replicas(2)
		do("upgrade", "wf", chartOf("wf"), "--values", example("wf", "inbox"), "--set", "replicas=4")
		replicas(4)
		do("rollback", "wf", "1")
		replicas(2)
	})
}

// podManifest returns the pod that a controller would create for an object.
func podManifest(t *testing.T, m manifest) []byte {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(m.Spec, &object); err != nil {
		t.Fatal(err)
	}
	path := []string{"template"}
	if m.Kind == "CronJob" {
		path = []string{"jobTemplate", "spec", "template"}
	}
	for _, name := range path {
		object, _ = object[name].(map[string]any)
	}
	content, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": m.Metadata.Name}, "spec": object["spec"],
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}
