package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/cli"
)

// issuer is an OpenID provider with the device authorization grant, and the API beside it,
// which takes the token that it gave last.
type issuer struct {
	*httptest.Server
	answers  []string // of the token endpoint, one after the other; the last stays
	asked    []string // received requests
	lifetime int      // of access tokens, in seconds
	tokens   int
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{lifetime: 300}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"device_authorization_endpoint":"%[1]s/device","token_endpoint":"%[1]s/token"}`, i.URL)
	})
	mux.HandleFunc("POST /device", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("client_id") != "countersign-cli" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"invalid_client"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"device_code":"d","user_code":"ABCD-EFGH","verification_uri":"%s/verify","expires_in":60,"interval":1}`, i.URL)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		i.asked = append(i.asked, r.FormValue("grant_type"))
		answer := i.answers[0]
		if len(i.answers) > 1 {
			i.answers = i.answers[1:]
		}
		w.Header().Set("Content-Type", "application/json")
		if answer != "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":%q}`, answer)
			return
		}
		i.tokens++
		fmt.Fprintf(w, `{"access_token":"token-%d","refresh_token":"refresh-%[1]d","token_type":"Bearer","expires_in":%d}`, i.tokens, i.lifetime)
	})
	mux.HandleFunc("GET /v1/wf/tasks", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d", i.tokens) || i.tokens == 0 {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"response":null,"errors":[{"errorCode":"WF-008","message":"no valid token"}]}`)
			return
		}
		fmt.Fprint(w, `{"response":{"items":[],"next_cursor":null},"errors":[]}`)
	})
	return i
}

// run runs the program with these arguments and home as the home directory.
func run(t *testing.T, home string, args ...string) (out, text string, err error) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", home)
	var printed, said bytes.Buffer
	var commands cli.Commands
	parser, err := kong.New(&commands, kong.Name("wf"), kong.Vars{"audience": "countersign-wf"})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return "", "", err
	}
	err = parsed.Run(&daemon.Process{Context: t.Context(), Out: &printed, Logs: &said})
	return printed.String(), said.String(), err
}

func (i *issuer) at(args ...string) []string {
	return append(args, "--url", i.URL, "--auth-issuer", i.URL)
}

func TestASignInByCodeLastsUntilItEnds(t *testing.T) {
	i, home := newIssuer(t), t.TempDir()
	inbox := func() (string, error) { out, _, err := run(t, home, i.at("inbox")...); return out, err }
	if _, err := inbox(); err == nil || err.Error() != "you are not signed in: wf login" {
		t.Errorf("before the sign-in: %v", err)
	}
	i.answers = []string{"authorization_pending", ""}
	_, said, err := run(t, home, i.at("login")...)
	if want := "Open " + i.URL + "/verify\nand enter the code ABCD-EFGH\nYou are signed in.\n"; err != nil || said != want {
		t.Fatalf("login: %v, said %q, want %q", err, said, want)
	}
	if out, err := inbox(); err != nil || out != "Nothing waits for you.\n" {
		t.Errorf("inbox: %q, %v", out, err)
	}
	if got := len(i.asked); got != 2 {
		t.Errorf("%d calls for tokens, want 2: a good token is used again", got)
	}
	files, _ := filepath.Glob(filepath.Join(home, "countersign", "*"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	for path, want := range map[string]fs.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}

	expire(t, files[0])
	if out, err := inbox(); err != nil || out != "Nothing waits for you.\n" || i.asked[len(i.asked)-1] != "refresh_token" {
		t.Errorf("after the token has expired: %q, %v, asked %v", out, err, i.asked)
	}
	expire(t, files[0])
	i.answers = []string{"invalid_grant"}
	if _, err := inbox(); err == nil || err.Error() != "you are not signed in: wf login" {
		t.Errorf("after the session has ended: %v", err)
	}
	if _, said, err := run(t, home, i.at("logout")...); err != nil || said != "You are signed out.\n" {
		t.Errorf("logout: %q, %v", said, err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "countersign", "*")); len(left) != 0 {
		t.Errorf("logout leaves %v", left)
	}
}

// expire makes the stored access token one that has expired.
func expire(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var token map[string]any
	if err := json.Unmarshal(raw, &token); err != nil {
		t.Fatal(err)
	}
	token["expiry"] = "2020-01-01T00:00:00Z"
	raw, err = json.Marshal(token)
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailedSignInReportsTheCause(t *testing.T) {
	i, home := newIssuer(t), t.TempDir()
	i.answers = []string{"access_denied"}
	for name, row := range map[string]struct {
		args []string
		want string
	}{
		"refused":               {i.at("login"), "it was refused"},
		"an unknown client":     {i.at("login", "--client", "other"), "it does not know the client other"},
		"no issuer":             {[]string{"login"}, "--auth-issuer (WF_AUTH_ISSUER) is required to sign in"},
		"no provider":           {[]string{"login", "--auth-issuer", i.URL + "/nowhere"}, "is no OpenID provider"},
		"an open line":          {[]string{"login", "--auth-issuer", "http://id.example.org"}, "use https"},
		"an open line to wf":    {[]string{"inbox", "--url", "http://wf.example.org", "--auth-issuer", i.URL}, "use https"},
		"a name in the address": {[]string{"inbox", "--url", "https://ana@wf.example.org", "--auth-issuer", i.URL}, "without a user"},
		"development":           {[]string{"login", "--dev"}, "--dev needs no sign-in"},
	} {
		_, _, err := run(t, home, row.args...)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", name, err, row.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "countersign", "*")); len(left) != 0 {
		t.Errorf("a sign-in that failed leaves %v", left)
	}
}

func TestTokensThatOthersCanReadAreNotUsed(t *testing.T) {
	i, home := newIssuer(t), t.TempDir()
	i.answers = []string{""}
	if _, _, err := run(t, home, i.at("login")...); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(home, "countersign", "*"))
	if err := os.Chmod(files[0], 0o644); err != nil { // #nosec G302 -- the subject of the test
		t.Fatal(err)
	}
	if _, _, err := run(t, home, i.at("inbox")...); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("inbox: %v", err)
	}
}

// A token goes to the address that was named, and nowhere else.
func TestNoRedirectIsFollowed(t *testing.T) {
	var leaked bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked = true }))
	defer other.Close()
	service := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer service.Close()
	_, _, err := run(t, t.TempDir(), "inbox", "--dev", "--data-dir", t.TempDir(), "--url", service.URL)
	if err == nil || !strings.Contains(err.Error(), "the answer is not of wf: HTTP status 302") || leaked {
		t.Errorf("%v, leaked: %t", err, leaked)
	}
}
