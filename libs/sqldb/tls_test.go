package sqldb_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
)

// serveTLS answers the SSLRequest of each connection and makes the handshake, whose result it sends.
func serveTLS(t *testing.T, config *tls.Config) (port string, handshakes chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	handshakes = make(chan error, 10)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			_, readErr := io.ReadFull(client, make([]byte, 8))
			_, writeErr := client.Write([]byte("S"))
			handshakes <- errors.Join(readErr, writeErr, tls.Server(client, config).Handshake())
			client.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, handshakes
}

func TestTLSToPostgreSQLVerifiesAPrivateCA(t *testing.T) {
	server := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	defer server.Close()
	root := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(root, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		host, root string
		want       string // part of the error
		verified   bool
	}{
		"the CA of the server":       {"127.0.0.1", root, "EOF", true},
		"no CA":                      {"127.0.0.1", "", "sslrootcert=FILE", false},
		"another name":               {"localhost", root, "certificate is valid for", false},
		"a file that does not exist": {"127.0.0.1", "/nowhere/ca.pem", "unable to read CA file", false},
	} {
		t.Run(name, func(t *testing.T) {
			port, handshakes := serveTLS(t, server.TLS)
			query := url.Values{"sslmode": {"verify-full"}}
			if tt.root != "" {
				query.Set("sslrootcert", tt.root)
			}
			url := "postgres://u@" + net.JoinHostPort(tt.host, port) + "/d?" + query.Encode()
			_, err := sqldb.Open(t.Context(), url, sqldb.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if tt.verified {
				if err := <-handshakes; err != nil {
					t.Errorf("handshake: %v", err)
				}
			}
		})
	}
}
