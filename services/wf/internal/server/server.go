package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/worker"
)

// Service is the assembled service. What is behind its API is there once it is open.
type Service struct {
	API    *api.API
	Engine *engine.Engine
	Store  *store.Store
	Sender *worker.Webhooks

	config   Config
	log      *slog.Logger
	verifier *bearer.Verifier
	db       *sqldb.DB
}

// Run serves until ctx ends, or until something that it cannot do without fails.
// ready is called once, with the address that is served, when calls are taken; it may be
// nil.
func Run(ctx context.Context, cfg Config, log *slog.Logger, ready func(address string)) error {
	s, err := New(cfg, log)
	if err != nil {
		return err
	}
	log.Info("starting", "version", daemon.Version(), "config", s.config)
	return s.config.Serve(ctx, log, daemon.Service{
		API: s.API.Server, Verifier: s.verifier, Migrate: migrate, Open: s.Open, Ping: s.Ping, Work: s.work, Ready: ready,
	})
}

// New assembles what needs no database.
func New(cfg Config, log *slog.Logger) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("configuration:\n%w", err)
	}
	verifier, err := cfg.Verifier(log)
	if err != nil {
		return nil, fmt.Errorf("configuration: WF_AUTH_…: %w", err)
	}
	face, err := api.New(api.Options{
		Verifier: verifier, RolePointers: cfg.RolePointers(), Identity: api.Identity{UserClaim: cfg.UserClaim, PersonClaims: cfg.PersonClaims},
		ServiceID: cfg.ServiceID, IdempotencyTTL: cfg.IdempotencyTTL, Version: daemon.Version(), MaxInFlight: cfg.MaxInFlight, Now: cfg.Now, Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	return &Service{API: face, config: cfg, log: log, verifier: verifier}, nil
}

// Open assembles what stands behind the API, on a database with the schema.
func (s *Service) Open(ctx context.Context, db *sqldb.DB) error {
	c := &s.config
	s.db, s.Store = db, store.New(db)
	switch indexed, err := s.Store.SearchIndexed(ctx); {
	case err != nil:
		return err
	case !indexed:
		s.log.Warn("a search reads every request: there is no extension pg_trgm, or the role of the database may not create it")
	}
	conditions, err := condition.NewEnv()
	if err != nil {
		return fmt.Errorf("conditions: %w", err)
	}
	options := engine.Options{Store: s.Store, Conditions: conditions, ServiceApprovers: c.ServiceApprovers, FourEyes: c.FourEyes}
	if s.Sender, err = c.webhooks(&options, s.log); err != nil {
		return err
	}
	if err := c.resolver(&options, s.log); err != nil {
		return err
	}
	s.Engine = engine.New(options)
	if err := s.Engine.CheckKeys(ctx); err != nil {
		return fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	s.API.Use(s.Engine)
	return nil
}

// Ping asks the database.
func (s *Service) Ping(ctx context.Context) error { return s.Store.Ping(ctx) }

// work is what runs beside the calls: what sends webhooks and what time starts.
func (s *Service) work() (jobs []func(context.Context) error) {
	if !s.config.Workers {
		return nil
	}
	for _, loop := range s.timers() {
		jobs = append(jobs, loop.Run)
	}
	return append(jobs, s.Sender.Run)
}

func migrate(ctx context.Context, db *sqldb.DB) error { return store.New(db).Migrate(ctx) }

// Rekey encrypts the secrets of webhook endpoints with the first of the keys, and
// returns how many endpoints had another.
func Rekey(ctx context.Context, db *sqldb.DB, keys daemon.Secret) (int, error) {
	parsed, err := parseKeys(string(keys))
	if err != nil {
		return 0, err
	}
	changed, err := engine.New(engine.Options{Store: store.New(db), Keys: parsed}).Rekey(ctx)
	if err != nil {
		err = fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	return changed, err
}

const batch = 100

// timers are the jobs that time starts.
func (s *Service) timers() []*daemon.Loop {
	core := s.Engine
	loop := func(name string, every time.Duration, pass func(context.Context) (more bool, err error)) *daemon.Loop {
		return &daemon.Loop{Name: name, Every: every, Logger: s.log, Pass: pass}
	}
	due := func(pass func(context.Context, time.Time, int) (int, error)) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			now, err := s.db.Now(ctx)
			if err != nil {
				return false, err
			}
			n, err := pass(ctx, now, batch)
			return n == batch, err
		}
	}
	return []*daemon.Loop{
		loop("expiry", time.Second, due(core.ExpireRequests)),
		loop("stages that wait for people", time.Second, due(core.RetryStages)),
		loop("missing approvers", 15*time.Minute, func(ctx context.Context) (bool, error) {
			return false, core.Sweep(ctx)
		}),
		loop("pools of an older version", time.Minute, func(ctx context.Context) (bool, error) {
			n, err := core.TurnPools(ctx, batch)
			return n == batch, err
		}),
		loop("inboxes of an older version", 5*time.Second, func(ctx context.Context) (bool, error) {
			n, err := core.RelistRequests(ctx, batch)
			return n == batch, err
		}),
		loop("delegations", time.Second, due(core.SettleDelegations)),
		loop("idempotency keys", time.Hour, func(ctx context.Context) (bool, error) {
			n, err := s.Store.PurgeKeys(ctx, 10*batch)
			return n == 10*batch, err
		}),
	}
}

// webhooks makes the worker that sends, and tells the engine where it may.
func (c *Config) webhooks(o *engine.Options, log *slog.Logger) (*worker.Webhooks, error) {
	policy, err := c.outbound()
	if err != nil {
		return nil, err
	}
	secrets, err := c.secrets(c.callbackTargets())
	if err != nil {
		return nil, err
	}
	if o.Keys, err = c.keys(); err != nil {
		return nil, err
	}
	o.EndpointURL = policy.CheckURL
	o.Callback = func(raw string) error {
		if err := policy.CheckURL(raw); err != nil {
			return err
		}
		if u, err := url.Parse(raw); err != nil || !secrets.Has(wf.Target{URL: u.String()}) {
			return errors.New("the host is not one of the allowed callback hosts")
		}
		return nil
	}
	sender := worker.NewWebhooks(worker.Options{
		Store: o.Store, Client: egress.New(policy), Keys: o.Keys, Callbacks: secrets, Jitter: c.Chance, Logger: log,
	})
	o.Wake = sender.Wake
	return sender, nil
}

// resolver lets rules ask those who are configured.
func (c *Config) resolver(o *engine.Options, log *slog.Logger) error {
	if c.Directory != nil {
		o.Resolve, o.Directory = c.Directory, true
		return nil
	}
	policy, err := c.outbound()
	if err != nil {
		return err
	}
	secrets, err := c.secrets(c.resolverTargets())
	if err != nil {
		return err
	}
	options := resolve.Options{Endpoints: c.Resolvers, Sign: secrets.Sign, Outbound: policy, Logger: log}
	if c.KeycloakURL != "" {
		options.Keycloak = &resolve.Keycloak{
			URL: c.KeycloakURL, Realm: c.KeycloakRealm, ClientID: c.KeycloakClientID, ClientSecret: string(c.KeycloakClientSecret),
			ServiceAccounts: c.ServiceApprovers,
		}
		o.Directory = true
	}
	answers := resolve.New(options)
	if c.Dev || len(c.Resolvers)+len(c.ResolverHosts) > 0 {
		o.HTTPRule = answers.CheckRule
	}
	if o.Directory || o.HTTPRule != nil {
		o.Resolve = answers.Resolve
	}
	return nil
}
