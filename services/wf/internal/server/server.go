package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/worker"
)

// Version is the build, set by the linker.
var Version = "dev"

// shutdownTime is how long running calls may take after the drain delay.
const shutdownTime = 20 * time.Second

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
	log.Info("starting", "version", Version, "config", cfg)
	verifier, err := cfg.verifier(log)
	if err != nil {
		return fmt.Errorf("configuration: WF_AUTH_…: %w", err)
	}
	face, err := api.New(api.Options{
		Verifier: verifier, Identity: api.Identity{UserClaim: cfg.UserClaim, RolePointers: cfg.rolePointers()},
		ServiceID: cfg.ServiceID, IdempotencyTTL: cfg.IdempotencyTTL, Version: Version, MaxInFlight: cfg.MaxInFlight, Logger: log,
	})
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("WF_LISTEN: %w", err)
	}
	log.Info("listening", "address", listener.Addr().String())

	group, ctx := errgroup.WithContext(ctx)
	// The workers outlive the calls: they stop when the last call is answered.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	server := web.HTTPServer(cfg.Listen, face)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error { return verifier.Run(work) })
	started := func() {
		log.Info("ready")
		if ready != nil {
			ready(listener.Addr().String())
		}
	}
	group.Go(func() error { return cfg.work(ctx, work, face, verifier, started, log) })
	group.Go(func() error {
		<-ctx.Done()
		defer stopWork()
		face.Stop()
		log.Info("stopping")
		time.Sleep(cfg.DrainDelay) // load balancers learn from readiness first
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(deadline); err != nil {
			return fmt.Errorf("shut down: %w", err)
		}
		return nil
	})
	err = group.Wait()
	log.Info("stopped")
	return err
}

// work opens the database, starts the workers and opens the gate. It returns when
// the workers have stopped and the database is closed. start ends what has not
// begun; work ends the workers.
func (c *Config) work(start, work context.Context, face *api.API, verifier *bearer.Verifier, started func(), log *slog.Logger) error {
	db, err := c.open(start, log)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	data := store.New(db)
	conditions, err := condition.NewEnv()
	if err != nil {
		return fmt.Errorf("conditions: %w", err)
	}
	webhooks, callback, err := c.webhooks(data, log)
	if err != nil {
		return err
	}
	core := engine.New(engine.Options{
		Store: data, Conditions: conditions, Endpoints: c.Webhooks, Callback: callback, Wake: webhooks.Wake,
		ServiceApprovers: c.ServiceApprovers, FourEyes: c.FourEyes,
	})
	if !wait(start, verifier.Ready) {
		return nil
	}

	group, work := errgroup.WithContext(work)
	group.Go(func() error { return webhooks.Run(work) })
	for _, loop := range timers(core, data, db, log) {
		group.Go(func() error { return loop.Run(work) })
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

// open connects and migrates, trying again while the database cannot be reached.
// It returns nil without an error when ctx ends first.
func (c *Config) open(ctx context.Context, log *slog.Logger) (*sqldb.DB, error) {
	for {
		db, err := sqldb.Open(ctx, string(c.DatabaseURL), sqldb.Options{Logger: log, MaxConns: c.DatabaseMax})
		if err == nil {
			if err = store.New(db).Migrate(ctx); err == nil {
				return db, nil
			}
			_ = db.Close()
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		if !sqldb.IsUnavailable(err) {
			return nil, fmt.Errorf("WF_DATABASE_URL: %w", err)
		}
		log.Warn("the database cannot be reached; trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(time.Second):
		}
	}
}

// Migrate brings the schema up to date and returns.
func (c *Config) Migrate(ctx context.Context, log *slog.Logger) error {
	db, err := c.open(ctx, log)
	if err != nil || db == nil {
		return err
	}
	return db.Close()
}

// wait polls until ok or the end of ctx.
func wait(ctx context.Context, ok func() bool) bool {
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
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
		{Name: "delegations", Every: time.Second, Logger: log, Pass: due(core.SettleDelegations)},
		{Name: "idempotency keys", Every: time.Hour, Logger: log, Pass: func(ctx context.Context) (bool, error) {
			n, err := data.PurgeKeys(ctx, 10*batch)
			return n == 10*batch, err
		}},
	}
}

// webhooks makes the worker that sends, and the check of callback URLs.
func (c *Config) webhooks(data *store.Store, log *slog.Logger) (*worker.Webhooks, func(string) error, error) {
	policy, err := c.outbound()
	if err != nil {
		return nil, nil, err
	}
	endpoints, hosts, err := c.secrets()
	if err != nil {
		return nil, nil, err
	}
	secrets, err := worker.NewSecrets(endpoints, hosts)
	if err != nil {
		return nil, nil, fmt.Errorf("WF_WEBHOOK_SECRETS, WF_CALLBACK_HOSTS: %w", err)
	}
	callback := func(raw string) error {
		if err := policy.CheckURL(raw); err != nil {
			return err
		}
		if u, err := url.Parse(raw); err != nil || !secrets.Has(wf.Target{URL: u.String()}) {
			return errors.New("the host is not one of the allowed callback hosts")
		}
		return nil
	}
	return worker.NewWebhooks(worker.Options{
		Store: data, Client: egress.New(policy), Endpoints: c.Webhooks, Secrets: secrets, Logger: log,
	}), callback, nil
}

// verifier checks the tokens of the configured issuer, or of the development one.
func (c *Config) verifier(log *slog.Logger) (*bearer.Verifier, error) {
	policy, err := c.outbound()
	if err != nil {
		return nil, err
	}
	config := bearer.Config{
		Issuer: c.AuthIssuer, Audience: c.AuthAudience, JWKSURL: c.AuthJWKSURL, JWKSFile: c.AuthJWKSFile,
		Algorithms: c.AuthAlgorithms, Leeway: c.AuthLeeway, HTTP: policy, Logger: log,
	}
	if c.Dev && c.AuthIssuer == "" {
		issuer, err := c.OpenDevIssuer()
		if err != nil {
			return nil, err
		}
		config.Issuer, config.Keys = DevIssuer, issuer.JWKS()
	}
	return bearer.New(config)
}

// OpenDevIssuer opens the issuer of development tokens.
func (c *Config) OpenDevIssuer() (*bearer.DevIssuer, error) {
	return bearer.OpenDevIssuer(filepath.Join(c.DataDir, devKeyFile))
}
