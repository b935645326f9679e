package server

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

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
	log.Info("starting", "version", daemon.Version(), "config", cfg)
	verifier, err := cfg.Verifier(log)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	face, err := api.New(api.Options{
		Verifier: verifier, PartnerClaim: cfg.PartnerClaim, RolePointers: cfg.RolePointers(),
		EnvelopeID: cfg.EnvelopeID, EnvelopeVersion: cfg.EnvelopeVersion, Version: daemon.Version(), MaxInFlight: cfg.MaxInFlight, Logger: log,
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
	db, err := c.OpenDatabase(start, log, migrate)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	core.Store = store.New(db)
	useCases := register.New(core)
	if err := c.apply(start, useCases, catalog); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if !daemon.Await(start, verifier.Ready) {
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
	policy, err := c.Outbound("oidc-registrar/1")
	if err != nil {
		return register.Options{}, err
	}
	provider, err := idp.New(c.IDP, idp.Options{
		URL: c.IDPURL, TokenURL: c.IDPTokenURL, ClientID: c.IDPClientID, ClientSecret: registrar.Secret(c.IDPClientSecret), Scope: c.IDPScope, Egress: policy,
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
func (c *Config) apply(ctx context.Context, core *register.Engine, catalog register.Catalog) error {
	if c.CatalogFile == "" {
		there, _, err := core.Partners(ctx, register.Caller{Admin: true}, register.Page{Limit: 1})
		if err != nil || len(there) > 0 {
			return err
		}
	}
	return core.ApplyCatalog(ctx, catalog)
}

// Migrate brings the schema of the database at url up to date and returns.
func Migrate(ctx context.Context, url daemon.Secret, log *slog.Logger) error {
	return daemon.Migrate(ctx, prefix, url, log, migrate)
}

func migrate(ctx context.Context, db *sqldb.DB) error { return store.New(db).Migrate(ctx) }
