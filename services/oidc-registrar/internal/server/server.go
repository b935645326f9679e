package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Version is the build, set by the linker.
var Version = "dev"

// shutdownTime is how long running calls may take after the drain delay.
const shutdownTime = 20 * time.Second

// Run serves until ctx ends, or until something that it cannot do without fails.
//
// It listens first and answers 503 until the schema and the catalogue are in place
// and tokens can be checked. When ctx ends it answers 503 again, waits for the
// drain delay, lets running calls finish, stops the worker, and closes the
// database.
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
		return fmt.Errorf("configuration: %w", err)
	}
	face, err := api.New(api.Options{
		Verifier: verifier, PartnerClaim: cfg.PartnerClaim, RolePointers: cfg.rolePointers(),
		EnvelopeID: cfg.EnvelopeID, EnvelopeVersion: cfg.EnvelopeVersion, Version: Version, MaxInFlight: cfg.MaxInFlight, Logger: log,
	})
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("REGISTRAR_LISTEN: %w", err)
	}
	log.Info("listening", "address", listener.Addr().String())

	group, ctx := errgroup.WithContext(ctx)
	// The worker outlives the calls: it stops when the last call is answered.
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

// work opens the database, applies the catalogue, opens the gate and runs the
// worker. It returns when the worker has stopped and the database is closed. start
// ends what has not begun; work ends the worker.
func (c *Config) work(start, work context.Context, face *api.API, verifier *bearer.Verifier, started func(), log *slog.Logger) error {
	core, err := c.core(log)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	catalog, err := c.catalog(core.Rules)
	if err != nil {
		return err
	}
	db, err := c.open(start, log)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	core.Store = store.New(db)
	useCases := register.New(core)
	if err := c.apply(start, useCases, catalog); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if !wait(start, verifier.Ready) {
		return nil
	}
	face.Start(useCases, core.Store.Ping)
	started()
	return useCases.Run(work)
}

// core is what the use cases work with, but for the store.
func (c *Config) core(log *slog.Logger) (register.Options, error) {
	rules, err := c.rules()
	if err != nil {
		return register.Options{}, err
	}
	policy, err := c.outbound()
	if err != nil {
		return register.Options{}, err
	}
	provider, err := idp.New(c.IDP, idp.Options{
		URL: c.IDPURL, TokenURL: c.IDPTokenURL, ClientID: c.IDPClientID, ClientSecret: c.IDPClientSecret, Scope: c.IDPScope, Egress: policy,
	})
	return register.Options{Rules: rules, Provider: provider, Logger: log}, err
}

// catalog reads the catalogue file, or the sample in development without one.
func (c *Config) catalog(rules registrar.Rules) (register.Catalog, error) {
	data := register.Sample
	switch {
	case c.CatalogFile != "":
		var err error
		if data, err = os.ReadFile(c.CatalogFile); err != nil {
			return register.Catalog{}, fmt.Errorf("REGISTRAR_CATALOG_FILE: %w", err)
		}
	case !c.Dev:
		return register.Catalog{}, nil
	}
	catalog, err := register.ParseCatalog(data, rules)
	if err != nil {
		return catalog, fmt.Errorf("REGISTRAR_CATALOG_FILE: %s: %w", c.CatalogFile, err)
	}
	return catalog, nil
}

// apply stores the catalogue. The sample does not touch a catalogue that somebody
// has begun to work with.
func (c *Config) apply(ctx context.Context, core *register.Registrar, catalog register.Catalog) error {
	if c.CatalogFile == "" {
		there, _, err := core.Partners(ctx, register.Caller{Admin: true}, register.Page{Limit: 1})
		if err != nil || len(there) > 0 {
			return err
		}
	}
	return core.ApplyCatalog(ctx, catalog)
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
			return nil, fmt.Errorf("REGISTRAR_DATABASE_URL: %w", err)
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
