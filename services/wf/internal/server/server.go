package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

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

// Run serves until ctx ends, or until something that it cannot do without fails.
//
// It listens first and answers WF-005 until the schema is in place and the workers
// run. When ctx ends it answers WF-005 again, waits for the drain delay, lets
// running calls finish, stops the workers, and closes the database.
//
// ready is called once, with the address that is served, when calls are taken; it
// may be nil.
func Run(ctx context.Context, cfg Config, log *slog.Logger, ready func(address string)) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	log.Info("starting", "version", daemon.Version(), "config", cfg)
	verifier, err := cfg.Verifier(log)
	if err != nil {
		return fmt.Errorf("configuration: WF_AUTH_…: %w", err)
	}
	face, err := api.New(api.Options{
		Verifier: verifier, Identity: api.Identity{UserClaim: cfg.UserClaim, RolePointers: cfg.RolePointers(), PersonClaims: cfg.PersonClaims},
		ServiceID: cfg.ServiceID, IdempotencyTTL: cfg.IdempotencyTTL, Version: daemon.Version(), MaxInFlight: cfg.MaxInFlight, Logger: log,
	})
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	return cfg.Serve(ctx, log, daemon.Service{
		Handler: face, Verifier: verifier, Stop: face.Stop, Ready: ready,
		Work: func(start, work context.Context, ready func()) error {
			return cfg.work(start, work, face, verifier, ready, log)
		},
	})
}

// work opens the database, starts the workers and opens the gate. It returns when
// the workers have stopped and the database is closed. start ends what has not
// begun; work ends the workers.
func (c *Config) work(start, work context.Context, face *api.API, verifier *bearer.Verifier, started func(), log *slog.Logger) error {
	db, err := c.OpenDatabase(start, log, migrate)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	data := store.New(db)
	switch indexed, err := data.SearchIndexed(start); {
	case err != nil:
		return err
	case !indexed:
		log.Warn("a search reads every request: there is no extension pg_trgm, or the role of the database may not create it")
	}
	conditions, err := condition.NewEnv()
	if err != nil {
		return fmt.Errorf("conditions: %w", err)
	}
	options := engine.Options{
		Store: data, Conditions: conditions, ServiceApprovers: c.ServiceApprovers, FourEyes: c.FourEyes,
	}
	webhooks, err := c.webhooks(&options, log)
	if err != nil {
		return err
	}
	if err := c.resolver(&options, log); err != nil {
		return err
	}
	core := engine.New(options)
	if err := core.CheckKeys(start); err != nil {
		return fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	if !daemon.Await(start, verifier.Ready) {
		return nil
	}

	group, work := errgroup.WithContext(work)
	if c.Workers {
		group.Go(func() error { return webhooks.Run(work) })
		for _, loop := range timers(core, data, db, log) {
			group.Go(func() error { return loop.Run(work) })
		}
	}
	face.Start(core, data.Ping)
	probe := worker.Loop{Name: "database probe", Every: time.Second, Logger: log, Pass: func(ctx context.Context) (bool, error) {
		_ = face.Probe(ctx) // it logs a change
		return false, nil
	}}
	group.Go(func() error { return probe.Run(work) }) // not before Start, which says whom to ask
	started()
	return group.Wait()
}

// Migrate brings the schema of the database at url up to date and returns.
func Migrate(ctx context.Context, url daemon.Secret, log *slog.Logger) error {
	return daemon.Migrate(ctx, prefix, url, log, migrate)
}

func migrate(ctx context.Context, db *sqldb.DB) error { return store.New(db).Migrate(ctx) }

// Rekey encrypts the secrets of webhook endpoints with the first of the keys, and
// returns how many endpoints had another.
func Rekey(ctx context.Context, url, keys daemon.Secret, log *slog.Logger) (int, error) {
	s := daemon.Settings{Prefix: prefix, DatabaseURL: url}
	parsed, err := parseKeys(string(keys))
	if err != nil {
		return 0, err
	}
	db, err := s.OpenDatabase(ctx, log, migrate)
	if err != nil || db == nil {
		return 0, err
	}
	defer db.Close()
	changed, err := engine.New(engine.Options{Store: store.New(db), Keys: parsed}).Rekey(ctx)
	if err != nil {
		err = fmt.Errorf("%sENC_KEYS: %w", prefix, err)
	}
	return changed, err
}

const batch = 100

// timers are the jobs that time starts.
func timers(core *engine.Engine, data *store.Store, db *sqldb.DB, log *slog.Logger) []*worker.Loop {
	due := func(pass func(context.Context, time.Time, int) (int, error)) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			now, err := db.Now(ctx)
			if err != nil {
				return false, err
			}
			n, err := pass(ctx, now, batch)
			return n == batch, err
		}
	}
	return []*worker.Loop{
		{Name: "expiry", Every: time.Second, Logger: log, Pass: due(core.ExpireRequests)},
		{Name: "stages that wait for people", Every: time.Second, Logger: log, Pass: due(core.RetryStages)},
		{Name: "missing approvers", Every: 15 * time.Minute, Logger: log, Pass: func(ctx context.Context) (bool, error) {
			return false, core.Sweep(ctx)
		}},
		{Name: "pools of an older version", Every: time.Minute, Logger: log, Pass: func(ctx context.Context) (bool, error) {
			n, err := core.TurnPools(ctx, batch)
			return n == batch, err
		}},
		{Name: "inboxes of an older version", Every: 5 * time.Second, Logger: log, Pass: func(ctx context.Context) (bool, error) {
			n, err := core.RelistRequests(ctx, batch)
			return n == batch, err
		}},
		{Name: "delegations", Every: time.Second, Logger: log, Pass: due(core.SettleDelegations)},
		{Name: "idempotency keys", Every: time.Hour, Logger: log, Pass: func(ctx context.Context) (bool, error) {
			n, err := data.PurgeKeys(ctx, 10*batch)
			return n == 10*batch, err
		}},
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
		Store: o.Store, Client: egress.New(policy), Keys: o.Keys, Callbacks: secrets, Logger: log,
	})
	o.Wake = sender.Wake
	return sender, nil
}

// resolver lets rules ask those who are configured.
func (c *Config) resolver(o *engine.Options, log *slog.Logger) error {
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
