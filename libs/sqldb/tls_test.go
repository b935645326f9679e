package sqldb_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// authority is a private CA. Its file is a value of sslrootcert.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	var der []byte
	der, a.key = a.issue(&x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "Private CA"}})
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// issue returns a certificate and its key. The first certificate is self-signed.
func (a authority) issue(template *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

// serve returns the port of a TLS endpoint of the PostgreSQL server, with a certificate of the CA for
// 127.0.0.1 (PostgreSQL protocol, SSLRequest).
func (a authority) serve(server string) string {
	a.t.Helper()
	der, key := a.issue(&x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(client, server, config)
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// forward answers the SSLRequest of a client and copies the decrypted connection to the server.
func forward(client net.Conn, server string, config *tls.Config) {
	defer client.Close()
	if _, err := io.ReadFull(client, make([]byte, 8)); err != nil {
		return
	}
	if _, err := client.Write([]byte("S")); err != nil {
		return
	}
	encrypted := tls.Server(client, config)
	if encrypted.Handshake() != nil {
		return
	}
	backend, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer backend.Close()
	go func() { _, _ = io.Copy(backend, encrypted); _ = backend.Close() }()
	_, _ = io.Copy(encrypted, backend)
}

func TestTLSToPostgreSQLVerifiesAPrivateCA(t *testing.T) {
	u, err := url.Parse(sqldbtest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	ca, other := newAuthority(t), newAuthority(t)
	port := ca.serve(u.Host)
	for name, tt := range map[string]struct {
		host, root string
		want       string // part of the error; empty for success
	}{
		"the CA of the server":       {"127.0.0.1", ca.file, ""},
		"another CA":                 {"127.0.0.1", other.file, "sslrootcert=FILE"},
		"no CA":                      {"127.0.0.1", "", "sslrootcert=FILE"},
		"another name":               {"localhost", ca.file, "certificate is not valid for any names"},
		"a file that does not exist": {"127.0.0.1", "/nowhere/ca.pem", "unable to read CA file"},
	} {
		t.Run(name, func(t *testing.T) {
			address := *u
			address.Host = net.JoinHostPort(tt.host, port)
			query := url.Values{"sslmode": {"verify-full"}}
			if tt.root != "" {
				query.Set("sslrootcert", tt.root)
			}
			address.RawQuery = query.Encode()
			db, err := sqldb.Open(t.Context(), address.String(), sqldb.Options{})
			if err == nil {
				db.Close()
			}
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
