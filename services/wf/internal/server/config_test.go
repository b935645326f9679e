package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/server"
)

// parse reads a configuration as the program does, from flags and the environment.
func parse(t *testing.T, args ...string) (server.Config, error) {
	t.Helper()
	var c struct{ server.Config }
	err := server.Program().Parse(&c, args)
	return c.Config, err
}

// defaults is the configuration without settings, except the issuer and the database, which have no
// default.
func defaults(t *testing.T) server.Config {
	t.Helper()
	for name, value := range map[string]string{"WF_AUTH_ISSUER": "https://idp.example", "WF_DATABASE_URL": "sqlite:x.db"} {
		_, set := os.LookupEnv(name)
		if _, file := os.LookupEnv(name + "_FILE"); !set && !file {
			t.Setenv(name, value)
		}
	}
	c, err := parse(t)
	must(t, err)
	return c
}

// whsec is a webhook secret that is as it should be.
const whsec = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// encKeys are keys for secrets at rest that are as they should be.
const encKeys = "k2:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=,k1:MTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// problems are settings that cannot be right, with the variables to blame.
var problems = map[string]struct {
	change func(*server.Config)
	blame  []string
}{
	"no issuer":                  {func(c *server.Config) { c.AuthIssuer = "" }, []string{"WF_AUTH_ISSUER"}},
	"no database":                {func(c *server.Config) { c.DatabaseURL = "" }, []string{"WF_DATABASE_URL"}},
	"a database of no kind":      {func(c *server.Config) { c.DatabaseURL = "mysql://canary@db/wf" }, []string{"WF_DATABASE_URL"}},
	"a database that is no URL":  {func(c *server.Config) { c.DatabaseURL = "postgres://wf:can/ary@db:x/wf" }, []string{"WF_DATABASE_URL"}},
	"development with an issuer": {func(c *server.Config) { c.Dev = true }, []string{"WF_DEV", "WF_AUTH_ISSUER"}},
	"development with other keys": {func(c *server.Config) {
		c.Dev, c.AuthIssuer, c.AuthJWKSURL = true, "",
			"file:config_test.go"
	}, []string{"WF_DEV", "WF_AUTH_JWKS_URL"}},
	"development on another machine": {func(c *server.Config) {
		c.Dev, c.AuthIssuer, c.DatabaseURL = true, "", "postgres://wf:canary@db.example/wf"
	}, []string{"WF_DATABASE_URL", "development"}},
	"no audience":       {func(c *server.Config) { c.AuthAudience = "" }, []string{"WF_AUTH_AUDIENCE"}},
	"an issuer by http": {func(c *server.Config) { c.AuthIssuer = "http://idp.example" }, []string{"WF_AUTH_ISSUER"}},
	"keys by http":      {func(c *server.Config) { c.AuthJWKSURL = "http://idp.example/keys" }, []string{"WF_AUTH_JWKS_URL"}},
	"keys in no file":   {func(c *server.Config) { c.AuthJWKSURL = "file:///nonexistent/keys" }, []string{"WF_AUTH_JWKS_URL"}},
	"checkpoints at once": {func(c *server.Config) {
		c.CheckpointEvery = 999 * time.Millisecond
	}, []string{"WF_CHECKPOINT_EVERY"}},
	"checkpoints at times": {func(c *server.Config) {
		c.CheckpointEvery = 24*time.Hour + 1
	}, []string{"WF_CHECKPOINT_EVERY"}},
	"a drain delay below nothing": {func(c *server.Config) { c.DrainDelay = new(-time.Second) }, []string{"WF_DRAIN_DELAY"}},
	"no address":                  {func(c *server.Config) { c.Listen = "" }, []string{"WF_LISTEN"}},
	"a network that is none":      {func(c *server.Config) { c.OutboundAllow = []string{"10.0.0.0/33"} }, []string{"WF_OUTBOUND_ALLOW"}},
	"every network":               {func(c *server.Config) { c.OutboundAllow = []string{"::/0"} }, []string{"WF_OUTBOUND_ALLOW"}},
	"the metadata address":        {func(c *server.Config) { c.OutboundAllow = []string{"169.254.169.254/32"} }, []string{"WF_OUTBOUND_ALLOW"}},
	"a key that is none":          {func(c *server.Config) { c.EncKeys = "canary" }, []string{"WF_ENC_KEYS"}},
	"a short key":                 {func(c *server.Config) { c.EncKeys = "k1:c2hvcnQ=" }, []string{"WF_ENC_KEYS"}},
	"two keys of one id":          {func(c *server.Config) { c.EncKeys += "," + encKeys }, []string{"WF_ENC_KEYS"}},
	"a short secret of a caller": {func(c *server.Config) { c.CallbackHosts["caller.example"] = "whsec_c2hvcnQ=" },
		[]string{"WF_CALLBACK_HOSTS", "caller.example"}},
	"a caller without a name":      {func(c *server.Config) { c.CallbackHosts[""] = whsec }, []string{"WF_CALLBACK_HOSTS"}},
	"a directory by http":          {func(c *server.Config) { c.KeycloakURL = "http://id.example/realms/staff" }, []string{"WF_KEYCLOAK_URL"}},
	"a directory on this machine":  {func(c *server.Config) { c.KeycloakURL = "https://127.0.0.1/realms/staff" }, []string{"WF_KEYCLOAK_URL"}},
	"a directory without a realm":  {func(c *server.Config) { c.KeycloakURL = "https://id.example" }, []string{"WF_KEYCLOAK_URL", "/realms/NAME"}},
	"a directory without a secret": {func(c *server.Config) { c.KeycloakClientSecret = "" }, []string{"WF_KEYCLOAK_CLIENT_SECRET"}},
	"a directory with other ids":   {func(c *server.Config) { c.UserClaim = "email" }, []string{"WF_USER_CLAIM"}},
	"a resolver by http": {func(c *server.Config) {
		c.Resolvers["oncall"] = "http://oncall.example/ " +
			whsec
	}, []string{"WF_RESOLVERS", "oncall"}},
	"a resolver without a secret": {func(c *server.Config) { c.Resolvers["oncall"] = "https://oncall.example/" },
		[]string{"WF_RESOLVERS", "oncall has no secret"}},
	"a resolver without a name": {func(c *server.Config) { c.Resolvers[""] = whsec }, []string{"WF_RESOLVERS"}},
	"a short secret of a resolver": {func(c *server.Config) { c.ResolverHosts["hr.example"] = "whsec_c2hvcnQ=" },
		[]string{"WF_RESOLVER_HOSTS", "hr.example"}},
	"a resolver host without a name": {func(c *server.Config) { c.ResolverHosts[""] = whsec }, []string{"WF_RESOLVER_HOSTS"}},
	"a mail server of another kind":  {func(c *server.Config) { c.Notify.SMTPURL = "https://mail.example" }, []string{"WF_NOTIFY_SMTP_URL"}},
	"an unknown content of mail":     {func(c *server.Config) { c.Notify.Content = "some" }, []string{"WF_NOTIFY_CONTENT"}},
	"mail from nobody":               {func(c *server.Config) { c.Notify.From = "Approvals" }, []string{"WF_NOTIFY_FROM"}},
	"tools without an address": {func(c *server.Config) {
		c.MCP, c.InboxURL, c.Notify.SMTPURL, c.Notify.From = true,
			"", "", ""
	}, []string{"WF_MCP"}},
	"receipts without an issuer": {func(c *server.Config) { c.ReceiptKeys = encKeys }, []string{"WF_RECEIPT_ISSUER"}},
	"receipts by http": {func(c *server.Config) {
		c.ReceiptKeys, c.ReceiptIssuer = encKeys, "http://wf.example"
	}, []string{"WF_RECEIPT_ISSUER"}},
	"mail without pages":             {func(c *server.Config) { c.InboxURL = "" }, []string{"WF_INBOX_URL"}},
	"a mail user without a password": {func(c *server.Config) { c.Notify.SMTPURL = "smtp://wf@mail.example" }, []string{"WF_NOTIFY_SMTP_URL"}},
	"a password in the clear": {func(c *server.Config) {
		c.Notify.SMTPURL = "smtp://wf:canary@mail.example?starttls=none"
	}, []string{"WF_NOTIFY_SMTP_URL", "encryption"}},
	"encryption that is none": {func(c *server.Config) {
		c.Notify.SMTPURL = "smtp://mail.example?starttls=canary"
	}, []string{"WF_NOTIFY_SMTP_URL", "starttls=none"}},
	"a language without words": {func(c *server.Config) { c.Notify.Language = "la" }, []string{"WF_NOTIFY_LANGUAGE"}},
	"a warning that comes too late": {func(c *server.Config) {
		c.Notify.ExpiresBefore = time.Second
	}, []string{"WF_NOTIFY_EXPIRES_BEFORE"}},
	"a caller with a port": {func(c *server.Config) {
		c.CallbackHosts["caller.example:443"] = whsec
	}, []string{"WF_CALLBACK_HOSTS", "caller.example:443"}},
}

// sane is a configuration for production.
func sane(t *testing.T) server.Config {
	c := defaults(t)
	c.AuthIssuer = "https://idp.example"
	c.EncKeys = encKeys
	c.InboxURL, c.Notify.SMTPURL, c.Notify.From = "https://wf.example", "smtp://mail.example", "Approvals <approvals@wf.example>"
	c.CallbackHosts = server.Secrets{"caller.example": whsec}
	c.KeycloakURL, c.KeycloakClientSecret = "https://id.example/realms/staff", "s3cret"
	c.Resolvers = server.Secrets{"oncall": "https://oncall.example/ " + whsec}
	c.ResolverHosts = server.Secrets{"hr.example": whsec}
	return c
}

func TestEveryProblemNamesItsVariable(t *testing.T) {
	c := sane(t)
	must(t, c.Validate())
	for name, tt := range problems {
		t.Run(name, func(t *testing.T) {
			c := sane(t)
			tt.change(&c)
			err := c.Validate()
			if err == nil {
				t.Fatal("passed")
			}
			for _, word := range tt.blame {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not name %s", err, word)
				}
			}
			if n := strings.Count(err.Error(), "\n"); n > 0 {
				t.Errorf("%d problems, want one: %v", n+1, err)
			}
		})
	}
}

func TestAllProblemsAreReportedTogether(t *testing.T) {
	c := sane(t)
	var blame []string
	for _, name := range []string{"no issuer", "a drain delay below nothing", "a network that is none", "a short key", "a resolver without a secret"} {
		problems[name].change(&c)
		blame = append(blame, problems[name].blame...)
	}
	err := c.Validate()
	for _, word := range blame {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not name %s", err, word)
		}
	}
	if err := server.Run(t.Context(), c, slog.New(slog.DiscardHandler), nil); err == nil || !strings.Contains(err.Error(), "WF_DRAIN_DELAY") {
		t.Errorf("Run = %v, want the problems", err)
	}
}

func TestASecretIsPrintedNowhere(t *testing.T) {
	c := sane(t)
	c.DatabaseURL = "postgres://wf:canary@db.example/wf"
	c.EncKeys, c.CallbackHosts["caller.example"] = "canary", "canary"
	c.Resolvers["oncall"], c.ResolverHosts["hr.example"], c.KeycloakClientSecret = "canary", "canary", "canary"
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("text", "config", c, "secret", c.DatabaseURL)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "config", c, "secret", c.DatabaseURL)
	encoded, err := json.Marshal(c)
	must(t, err)
	texts := []string{log.String(), string(encoded), c.Validate().Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		texts = append(texts, fmt.Sprintf(verb, c), fmt.Sprintf(verb, c.DatabaseURL), fmt.Sprintf(verb, &c))
	}
	if i := slices.IndexFunc(texts, func(text string) bool {
		return strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary"))
	}); i >= 0 {
		t.Errorf("a secret shows: %s", texts[i])
	}
}
