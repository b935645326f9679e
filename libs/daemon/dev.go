package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/countersign/countersign/libs/bearer"
)

// DevIssuer is the issuer of development tokens, shared by all local services and tools. Its key is in the
// data folder.
const DevIssuer = "https://dev.countersign.local"

const devKeyFile = "dev-issuer.jwk"

func openDevIssuer(dataDir string) (*bearer.DevIssuer, error) {
	return bearer.OpenDevIssuer(filepath.Join(dataDir, devKeyFile))
}

// HasDevIssuer reports whether the tokens are those of the development issuer.
func (s *Settings) HasDevIssuer() bool { return s.Dev || s.AuthIssuer == DevIssuer }

// DevToken returns a token of the development issuer for a newly signed-in user.
func DevToken(dataDir string, t bearer.DevToken) (string, error) {
	issuer, err := openDevIssuer(dataDir)
	if err != nil {
		return "", err
	}
	return devToken(issuer, t)
}

func devToken(issuer *bearer.DevIssuer, t bearer.DevToken) (string, error) {
	claims := map[string]any{"preferred_username": t.Subject, "auth_time": time.Now().Unix()}
	maps.Copy(claims, t.Claims)
	t.Issuer, t.Claims = DevIssuer, claims
	return issuer.Issue(t)
}

// Dev holds the settings of the development issuer.
type Dev struct {
	DataDir      string `default:".data" help:"Folder of the keys of --dev."`
	AuthAudience string `env:"AUTH_AUDIENCE" default:"${audience}" help:"Audience of the tokens."`
}

// issuer returns the development issuer of the data folder. It reports a new key, because services with
// another folder reject its tokens.
func (d Dev) issuer(w *Process, p Program) (*bearer.DevIssuer, error) {
	path, err := filepath.Abs(filepath.Join(d.DataDir, devKeyFile))
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(path)
	issuer, err := bearer.OpenDevIssuer(path)
	if err == nil && errors.Is(missing, fs.ErrNotExist) {
		_, err = fmt.Fprintf(w.Logs, "%s: created the key %s; "+
			"services with another data folder reject its tokens (set --data-dir)\n", p.Name, path)
	}
	return issuer, err
}

// TokenCommand prints a token of the development issuer.
type TokenCommand struct {
	Dev
	Sub   string            `required:"" help:"Subject: the user id."`
	Role  []string          `help:"A role; may be repeated."`
	Scope []string          `help:"A scope; may be repeated."`
	Claim map[string]string `help:"Additional claim, NAME=VALUE; may be repeated."`
	TTL   time.Duration     `default:"1h" help:"Lifetime of the token."`
}

// Run prints only the token.
func (c *TokenCommand) Run(w *Process, p Program) error {
	if c.TTL <= 0 {
		return errors.New("--ttl must be more than 0s")
	}
	claims := map[string]any{}
	for name, value := range c.Claim {
		claims[name] = value
	}
	issuer, err := c.issuer(w, p)
	if err != nil {
		return err
	}
	token, err := devToken(issuer, bearer.DevToken{
		Subject: c.Sub, Audience: c.AuthAudience, Roles: c.Role, Scopes: c.Scope, Claims: claims, TTL: c.TTL,
	})
	if err == nil {
		_, err = fmt.Fprintln(w.Out, token)
	}
	return err
}

// JWKSCommand prints the key set of the development issuer, for AUTH_JWKS_URL of a service that trusts it. It
// creates a missing key.
type JWKSCommand struct {
	Dev
}

// Run prints the JWK Set.
func (c *JWKSCommand) Run(w *Process, p Program) error {
	issuer, err := c.issuer(w, p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.Out, "%s\n", issuer.JWKS())
	return err
}

// remind returns the loop that warns of development settings at the start and every hour.
func (s *Settings) remind(log *slog.Logger) *Loop {
	return &Loop{Name: "development_warning", Every: time.Hour, Logger: log, Pass: func(ctx context.Context) (bool, error) {
		if s.Dev {
			log.WarnContext(ctx, "development mode: readers of the data folder can issue tokens for any user")
		}
		if s.AllowDevValues {
			log.WarnContext(ctx, "published development values are permitted", "setting", s.Prefix+"ALLOW_DEV_VALUES")
		}
		return false, nil
	}}
}
