package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// A 503 of one operation is an answer: nginx must neither repeat it at the other replicas nor take them for
// failed.
func TestADirectoryThatIsDownKeepsNoOtherCallFromTheReplicas(t *testing.T) {
	nginx := binary(t)
	wf := programs.Build(t, "wf")
	data := t.TempDir()
	var addresses []string
	var replicas []*programs.Process
	for range 2 {
		address, dir := programs.FreeAddress(t), t.TempDir()
		addresses = append(addresses, address)
		replica := programs.Run(t, dir, []string{
			"WF_LISTEN=" + address, "WF_ADMIN_LISTEN=off", "WF_DATABASE_URL=sqlite:" + filepath.Join(dir, "wf.db"),
			"WF_KEYCLOAK_URL=http://127.0.0.1:1/realms/none", "WF_KEYCLOAK_CLIENT_SECRET=none", // no listener
		}, wf, "serve", "--dev", "--data-dir", data)
		replica.Ready("http://" + address)
		replicas = append(replicas, replica)
	}
	token, err := daemon.DevToken(data, bearer.DevToken{Subject: "ana", Audience: "countersign-wf", Roles: []string{"WF_ADMIN"}, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	url, client := serve(t, nginx, addresses)
	get := func(path string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		reply, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return reply.StatusCode
	}

	const rounds = 20
	for range rounds {
		if status := get("/v1/wf/people?q=ana"); status != http.StatusServiceUnavailable {
			t.Errorf("a search in a directory that is down: %d, want 503", status)
		}
		for range 2 {
			if status := get("/v1/wf/me"); status != http.StatusOK {
				t.Errorf("an unrelated read: %d, want 200", status)
			}
		}
	}
	asked := 0
	for _, replica := range replicas {
		asked += strings.Count(replica.Log.String(), "/v1/wf/people")
	}
	if asked != rounds {
		t.Errorf("%d searches were made of %d", asked, rounds)
	}

	replicas[0].Signal(syscall.SIGTERM)
	replicas[0].Wait()
	for range rounds {
		if status := get("/v1/wf/me"); status != http.StatusOK {
			t.Errorf("a read while one of two replicas is stopped: %d, want 200", status)
		}
	}
}

// binary finds nginx. As root it installs the distribution's package.
func binary(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if apt, _ := exec.LookPath("apt-get"); err != nil && apt != "" && os.Geteuid() == 0 {
		for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", "nginx-light"}} {
			cmd := exec.CommandContext(t.Context(), apt, args...)
			cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1") // the package starts no server
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Logf("apt-get %s: %v\n%s", args[0], err, out)
			}
		}
		path, err = exec.LookPath("nginx")
	}
	if err != nil {
		t.Skip("no nginx here, and it cannot be installed: install Debian's nginx-light")
	}
	return path
}

// serve runs nginx with the block of docs/operating.md before replicas of wf. Addresses and files are the
// test's.
func serve(t *testing.T, nginx string, addresses []string) (url string, client *http.Client) {
	t.Helper()
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```nginx\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/operating.md has no block of nginx")
	}
	dir, address := t.TempDir(), programs.FreeAddress(t)
	certificate(t, dir)
	replace := func(pattern, with string) {
		t.Helper()
		if !regexp.MustCompile(pattern).MatchString(block) {
			t.Fatalf("the block of nginx has no %s", pattern)
		}
		block = regexp.MustCompile(pattern).ReplaceAllLiteralString(block, with)
	}
	replace(`10\.0\.0\.11:8081`, addresses[0])
	replace(`10\.0\.0\.12:8081`, addresses[1])
	replace(`listen 443 `, "listen "+address+" ")
	replace(`/etc/ssl/wf`, filepath.Join(dir, "wf"))
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // the test's folders are open to their owner alone
	}
	config := fmt.Sprintf("%sdaemon off;\nworker_processes 1;\npid %[2]s/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"+
		"client_body_temp_path %[2]s/body;\nproxy_temp_path %[2]s/proxy;\nfastcgi_temp_path %[2]s/fastcgi;\nuwsgi_temp_path %[2]s/uwsgi;\nscgi_temp_path %[2]s/scgi;\n%[3]s}\n",
		user, dir, block)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	process := programs.Run(t, dir, nil, nginx, "-c", path, "-p", dir)
	t.Cleanup(func() { // nginx leaves its workers behind when it is killed
		process.Signal(syscall.SIGTERM)
		process.Wait()
	})
	client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, // #nosec G402 -- its own certificate
	}}
	url = "https://" + address
	timetest.Eventually(t, "nginx answers", func() bool {
		select {
		case <-process.Done():
			t.Fatalf("nginx has ended\n%s", process.Log.String())
		default:
		}
		reply, err := client.Get(url + "/livez")
		if err != nil {
			return false
		}
		_ = reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	})
	return url, client
}

// certificate writes wf.pem and wf.key into dir.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"wf.example.org"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"wf.pem": {Type: "CERTIFICATE", Bytes: der}, "wf.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
