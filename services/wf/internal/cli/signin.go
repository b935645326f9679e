package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/oauth2"
)

// session is a sign-in at an issuer with one client. Its tokens are in a file with mode 0600.
type session struct {
	issuer string
	config oauth2.Config
	file   string
}

func newSession(issuer, client string) (*session, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("where to keep tokens: %w", err)
	}
	sum := sha256.Sum256([]byte(issuer + "\x00" + client))
	return &session{
		issuer: issuer, config: oauth2.Config{ClientID: client, Scopes: []string{"openid"}},
		file: filepath.Join(folder, "countersign", "wf-"+hex.EncodeToString(sum[:8])+".json"),
	}, nil
}

var errSignedOut = errors.New("you are not signed in: wf login")

// token returns a valid access token. It uses the refresh token if needed.
func (s *session) token(ctx context.Context) (string, error) {
	stored, err := s.load()
	if err != nil {
		return "", err
	}
	if stored.Valid() {
		return stored.AccessToken, nil
	}
	if stored.RefreshToken == "" {
		return "", errSignedOut
	}
	if err := s.discover(ctx); err != nil {
		return "", err
	}
	fresh, err := s.config.TokenSource(withHTTP(ctx), stored).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		return "", errSignedOut // ended at the issuer or here
	}
	if err != nil {
		return "", s.failure(err)
	}
	return fresh.AccessToken, s.store(fresh)
}

// signIn prints the sign-in address and a code, and waits for the sign-in (RFC 8628).
func (s *session) signIn(ctx context.Context, out io.Writer) error {
	if err := s.discover(ctx); err != nil {
		return err
	}
	ctx = withHTTP(ctx)
	device, err := s.config.DeviceAuth(ctx)
	if err != nil {
		return s.failure(err)
	}
	if device.VerificationURIComplete != "" {
		fmt.Fprintf(out, "Open %s\nand see that it shows the code %s\n", sanitize(device.VerificationURIComplete), sanitize(device.UserCode))
	} else {
		fmt.Fprintf(out, "Open %s\nand enter the code %s\n", sanitize(device.VerificationURI), sanitize(device.UserCode))
	}
	token, err := s.config.DeviceAccessToken(ctx, device)
	if err != nil {
		return s.failure(err)
	}
	return s.store(token)
}

// failure describes an error of the issuer without quoting its reply.
func (s *session) failure(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return fmt.Errorf("sign in at %s: %w", s.issuer, err)
	}
	if refused.ErrorCode == "" { // oauth2 parses the code only for token requests
		var body struct {
			Error string `json:"error"`
		}
		_ = json.Unmarshal(refused.Body, &body)
		refused.ErrorCode = cmp.Or(body.Error, refused.Response.Status)
	}
	why := map[string]string{ // #nosec G101 -- codes of RFC 8628
		"access_denied": "it was refused", "expired_token": "the code has expired: try again", "invalid_client": "it does not know the client " + s.config.ClientID,
		"unauthorized_client": "the client " + s.config.ClientID + " may not use the device authorization grant",
	}[refused.ErrorCode]
	if why == "" {
		why = sanitize(strings.TrimSpace(refused.ErrorCode + " " + refused.ErrorDescription))
	}
	return fmt.Errorf("sign in at %s: %s", s.issuer, why)
}

// discover loads the endpoints of the issuer.
func (s *session) discover(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(s.issuer, "/")+"/.well-known/openid-configuration", nil)
	if err != nil {
		return err
	}
	response, err := newHTTP(callTime).Do(request)
	if err != nil {
		return fmt.Errorf("the issuer cannot be reached: %w", err)
	}
	defer response.Body.Close()
	var found struct {
		Issuer string `json:"issuer"`
		Device string `json:"device_authorization_endpoint"`
		Token  string `json:"token_endpoint"`
	}
	if response.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&found) != nil {
		return fmt.Errorf("%s is no OpenID provider: it has no configuration", s.issuer)
	}
	switch {
	case strings.TrimSuffix(found.Issuer, "/") != strings.TrimSuffix(s.issuer, "/"):
		return fmt.Errorf("the discovery document of %s names another issuer", s.issuer)
	case found.Device == "" || found.Token == "":
		return fmt.Errorf("%s has no device authorization grant", s.issuer)
	}
	for _, endpoint := range []string{found.Device, found.Token} {
		if _, err := parseURL(endpoint); err != nil {
			return err
		}
	}
	s.config.Endpoint = oauth2.Endpoint{DeviceAuthURL: found.Device, TokenURL: found.Token, AuthStyle: oauth2.AuthStyleInParams}
	return nil
}

func withHTTP(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, newHTTP(callTime))
}

// load reads the tokens. A file that other users can read is rejected, since its tokens may be
// compromised.
func (s *session) load() (*oauth2.Token, error) {
	info, err := os.Stat(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errSignedOut
	}
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others: delete it and sign in again", s.file)
	}
	raw, err := os.ReadFile(s.file) // #nosec G304 -- a file of its own
	if err != nil {
		return nil, err
	}
	var token oauth2.Token
	if err := json.Unmarshal(raw, &token); err != nil {
		return nil, fmt.Errorf("%s is damaged: delete it and sign in again", s.file)
	}
	return &token, nil
}

// store writes the tokens atomically, so that a crash leaves the old or the new ones.
func (s *session) store(token *oauth2.Token) error {
	raw, err := json.Marshal(token) // #nosec G117 -- the file is the person's alone
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	next := s.file + ".new"
	_ = os.Remove(next) // left by a crash
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, s.file)
}

func (s *session) removeFile() error {
	err := os.Remove(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
