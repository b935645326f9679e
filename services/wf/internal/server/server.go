package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/jobs"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/ui"
	"github.com/countersign/countersign/services/wf/internal/waiting"
)

// Service is the assembled service. Fields that require the database are set by Open.
type Service struct {
	API    *api.API
	UI     *ui.UI // nil if disabled
	Engine *engine.Engine
	Store  *store.Store
	Sender *webhooks.Sender

	Sessions *session.Store // of the pages

	Notifier *notify.Notifier // nil if mail is disabled

	Metrics *metrics.Registry

	config   Config
	log      *slog.Logger
	verifier *bearer.Verifier
	db       *sqldb.DB
	process  *heartbeat.Process
	caches   []*daemon.Loop
}

// Run serves until ctx ends or a required component fails. ready is called once with the listening
// address when calls are accepted; it may be nil.
func Run(ctx context.Context, cfg Config, log *slog.Logger, ready func(address string)) error {
	s, err := New(cfg, log)
	if err != nil {
		return err
	}
	log.Info("starting", "version", daemon.Version(), "settings", Program().LogSettings(&s.config))
	return s.config.Serve(ctx, log, daemon.Service{
		API: s.API.Server, Verifier: s.verifier, Metrics: s.Metrics, Program: Program(), Open: s.Open, Work: s.work, Ready: ready,
	})
}

// Rates of one caller.
var (
	policyWrites   = limit.Rate{Calls: 1, Per: time.Second, Burst: 20}
	peopleSearches = limit.Rate{Calls: 2, Per: time.Second, Burst: 30}
)

// New assembles the parts that need no database.
func New(cfg Config, log *slog.Logger) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("configuration:\n%w", err)
	}
	verifier, err := cfg.Verifier(log)
	if err != nil {
		return nil, fmt.Errorf("configuration: WF_AUTH_…: %w", err)
	}
	registry := metrics.New("wf", daemon.Version())
	face, err := api.New(api.Options{
		Verifier: verifier, RolePointers: cfg.RolePointers(), Identity: cfg.identity(),
		IdempotencyTTL: idempotencyTTL, Version: daemon.Version(), Development: cfg.Dev,
		HTTPS: strings.HasPrefix(cfg.InboxURL, "https:"), ReadOnly: cfg.ReadOnly, MaxInFlight: cfg.MaxInFlight,
		MaxWaiting: cmp.Or(cfg.MaxWaiting, maxWaiting), Agents: cfg.agents(), Now: cfg.clock(), Logger: log,
		Metrics: registry,
		Rates:   cfg.Rates(), PolicyWrites: cfg.Rate(policyWrites), People: cfg.Rate(peopleSearches), Patience: cfg.Patience,
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	if slices.Contains([]string{"email", "name", "nickname", "phone_number", "preferred_username", "upn", "username"}, cfg.UserClaim) {
		log.Warn("the claim of the user id can change or pass to another person, who then acts as the former one; use sub",
			"setting", "WF_USER_CLAIM", "claim", cfg.UserClaim)
	}
	pages, err := cfg.ui(face, verifier, log)
	if err != nil {
		return nil, err
	}
	return &Service{API: face, UI: pages, Metrics: registry, config: cfg, log: log, verifier: verifier}, nil
}

// agents returns the settings of the endpoint of agents; the zero value without WF_MCP.
func (c *Config) agents() api.Agents {
	if !c.MCP {
		return api.Agents{}
	}
	return api.Agents{URL: strings.TrimSuffix(c.InboxURL, "/"), Pages: c.pages(), Issuer: cmp.Or(c.AuthIssuer, daemon.DevIssuer)}
}

// Open assembles the parts that need the database. The schema must be current.
func (s *Service) Open(ctx context.Context, db *sqldb.DB) error {
	c := &s.config
	s.db, s.Store = db, store.New(db)
	s.process = heartbeat.New(db, daemon.Version(), c.Workers, s.log)
	if !c.ReadOnly {
		if err := s.process.Beat(ctx); err != nil {
			return err
		}
	}
	switch indexed, err := s.Store.SearchIndexed(ctx); {
	case err != nil:
		return err
	case !indexed:
		s.log.Warn("searches are not indexed: extension pg_trgm is missing or the role cannot create it")
	}
	options := engine.Options{
		Store: s.Store, FourEyes: c.FourEyes, NoPeopleSearch: !c.PeopleSearch, Pages: c.pages(),
		Metrics: s.Metrics, Patience: c.Patience,
	}
	options.Notifications = c.Notify.notificationDefaults()
	if err := c.resolver(&options, s.log); err != nil {
		return err
	}
	var err error
	if s.Notifier, err = c.notifier(options, s.log); err != nil {
		return err
	}
	const help = "1 if the mail server is unreachable or rejects the service's credentials. Notices stay pending."
	s.Metrics.Func("mail_server_unavailable", help, func() float64 {
		if s.Notifier.IsUnavailable() {
			return 1
		}
		return 0
	})
	if s.Sender, err = c.webhooks(&options, s.Notifier, s.process, s.log); err != nil {
		return err
	}
	if options.Receipts, options.ReceiptIssuer, err = c.receiptKeys(); err != nil {
		return err
	}
	if err := s.publishKeys(ctx, options.Receipts); err != nil {
		return err
	}
	watcher := waiting.New(s.Store.Revs)
	options.Changed = watcher.Notify
	s.Engine = engine.New(options)
	s.Sessions = s.Store.Sessions(session.Options{
		Keys: options.Keys, Idle: sessionIdle, Longest: sessionLifetime, TokenLifetime: bearer.MaxLifetime + 2*bearer.Leeway,
	})
	if err := s.Sessions.LoadLogouts(ctx); err != nil {
		return err
	}
	keys, logouts := s.Jobs().Keys(), s.Jobs().Logouts()
	s.caches = []*daemon.Loop{keys, logouts, s.Jobs().Watch(watcher)}
	if _, err := logouts.Pass(ctx); err != nil {
		return err
	}
	if !c.ReadOnly {
		if _, err := keys.Pass(ctx); err != nil {
			return err
		}
	}
	s.API.SetEngine(s.Engine, s.Sessions, watcher)
	if s.UI != nil {
		s.UI.SetEngine(s.Engine, s.Sessions)
	}
	return s.warnOfOpenPolicies(ctx)
}

// warnOfOpenPolicies logs the policies under which any caller may create requests. This is the
// default of a policy without submitters.
func (s *Service) warnOfOpenPolicies(ctx context.Context) error {
	const named = 10
	open, err := s.Store.Policies.Open(ctx)
	if err == nil && len(open) > 0 {
		s.log.Warn("any caller with a valid token may create requests under policies without settings.submitters",
			"policies", len(open), "first", open[:min(named, len(open))])
	}
	return err
}

// work returns the background jobs.
func (s *Service) work() (all []func(context.Context) error) {
	for _, loop := range s.caches {
		all = append(all, loop.Run)
	}
	if !s.config.Workers {
		return append(all, s.process.Run)
	}
	for _, loop := range s.Jobs().Workers() {
		all = append(all, loop.Run)
	}
	return append(all, func(ctx context.Context) error { return s.process.RunBeside(ctx, s.Sender.Run) })
}

// Jobs returns the background jobs.
func (s *Service) Jobs() jobs.Jobs {
	return jobs.Jobs{
		Engine: s.Engine, Store: s.Store, DB: s.db, Logger: s.log, Metrics: s.Metrics,
		KeySetting: prefix + "ENC_KEYS", Sessions: s.Sessions, ExpiresBefore: s.config.Notify.ExpiresBefore,
		CheckpointEvery: s.config.CheckpointEvery, Leads: s.process.Leads,
	}
}

// Rekey encrypts the secrets of webhook endpoints with the first key, in one transaction. It
// returns the number of changed endpoints.
func Rekey(ctx context.Context, db *sqldb.DB, keys seal.Keys) (done string, err error) {
	changed, err := engine.New(engine.Options{Store: store.New(db), Keys: keys}).Webhooks.RekeyEndpoints(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d endpoints re-encrypted", changed), nil
}

// webhooks returns the sender of deliveries, and sets the URL checks of the engine.
func (c *Config) webhooks(o *engine.Options, people *notify.Notifier, process *heartbeat.Process, log *slog.Logger) (*webhooks.Sender, error) {
	policy, err := c.outboundPolicy()
	if err != nil {
		return nil, err
	}
	secrets, err := c.secrets(c.callbackTargets())
	if err != nil {
		return nil, err
	}
	if o.Keys, err = c.SealKeys(c.EncKeys); err != nil {
		return nil, err
	}
	o.EndpointURL = policy.CheckURL
	o.Callback = func(raw string) error {
		if err := policy.CheckURL(raw); err != nil {
			return err
		}
		if u, err := url.Parse(raw); err != nil || !secrets.Has(outbox.Target{URL: u.String()}) {
			return errors.New("the host is not one of the allowed callback hosts")
		}
		return nil
	}
	var notices *webhooks.NoticeSender
	if people != nil {
		notices = people.Sender()
	}
	sender := webhooks.New(webhooks.Options{
		Notices: notices, Render: c.Notify.chats(o.Store.Policies.Definition).Render,
		Store: o.Store.Outbox, Settle: o.Store.Settle, Service: "wf", Process: process.ID(),
		Client: egress.New(policy), Keys: o.Keys, Callbacks: secrets, Jitter: c.Chance, Logger: log, Metrics: o.Metrics,
	})
	o.Wake = sender.Wake
	return sender, nil
}

// resolver connects the configured directory and resolvers to the engine.
func (c *Config) resolver(o *engine.Options, log *slog.Logger) error {
	if c.ReadOnly {
		return nil
	}
	if c.Directory != nil {
		o.Resolve, o.Directory = c.Directory, true
		return nil
	}
	answers, err := c.answers(o.Metrics, log)
	if err != nil {
		return err
	}
	if o.Directory = c.KeycloakURL != ""; o.Directory {
		o.Search = answers.Search
	}
	if c.Dev || len(c.Resolvers)+len(c.ResolverHosts) > 0 {
		o.HTTPRule = answers.CheckRule
	}
	if o.Directory || o.HTTPRule != nil {
		o.Resolve = answers.Resolve
	}
	return nil
}

// keycloakClient is the client with the service account that reads the realm.
const keycloakClient = "wf-directory"

// answers returns the resolver of the configured endpoints and directory.
func (c *Config) answers(registry *metrics.Registry, log *slog.Logger) (*resolve.Resolver, error) {
	policy, err := c.outboundPolicy()
	if err != nil {
		return nil, err
	}
	targets := c.resolverTargets()
	secrets, err := c.secrets(targets)
	if err != nil {
		return nil, err
	}
	options := resolve.Options{Endpoints: targets.urls, Sign: secrets.Sign, Outbound: policy, Timeout: c.Patience, Logger: log, Metrics: registry}
	if server, realm, ok := c.keycloakRealm(); ok {
		options.Keycloak = &resolve.Keycloak{
			URL: server, Realm: realm, ClientID: keycloakClient, ClientSecret: string(c.KeycloakClientSecret),
			ServiceAccounts: c.ServiceApprovers,
		}
	}
	return resolve.New(options), nil
}

// Diagnose checks the configuration and connects once to the database, the issuer, the directory
// and the mail server.
func Diagnose(ctx context.Context, cfg Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	d := cfg.Diagnose(ctx, Program(), out)
	d.Check("directory", "KEYCLOAK_URL", cfg.KeycloakURL, cfg.checkDirectory)
	d.Check("mail server", "NOTIFY_SMTP_URL", string(cfg.Notify.SMTPURL), func(ctx context.Context) error {
		server, err := cfg.Notify.server()
		if err != nil {
			return err
		}
		return notify.Check(ctx, server)
	})
	return d.Err()
}

func (c *Config) checkDirectory(ctx context.Context) error {
	answers, err := c.answers(metrics.New("wf", daemon.Version()), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return answers.CheckDirectory(ctx)
}
