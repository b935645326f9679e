package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/ui/session"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/jobs"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui"
)

// Service is the assembled service. Core, Store and Sender are set by Open.
type Service struct {
	API     *api.API
	UI      *ui.UI // nil if disabled
	Core    *engine.Engine
	Options engine.Options // of Core
	Store   *store.Store

	Sender *webhooks.Sender

	Sessions *session.Store // of the console

	Metrics *metrics.Registry
	Jobs    []*daemon.Loop // the background jobs, after Open

	config   Config
	log      *slog.Logger
	verifier *bearer.Verifier
	db       *sqldb.DB
	catalog  engine.CatalogFile
	process  *heartbeat.Process
}

// Run serves until ctx ends or a required component fails. It calls ready once with the served
// address when the service accepts calls; ready may be nil.
func Run(ctx context.Context, cfg Config, log *slog.Logger, ready func(address string)) error {
	s, err := New(cfg, log)
	if err != nil {
		return err
	}
	s.warnUnmanaged()
	if err := s.checkRole(ctx); err != nil {
		return fmt.Errorf("configuration: REGISTRAR_IDP_CLIENT_ID: %w", err)
	}
	log.Info("starting", "version", daemon.Version(), "settings", Program().LogSettings(&s.config))
	return s.config.Serve(ctx, log, daemon.Service{
		API: s.API.Server, Verifier: s.verifier, Metrics: s.Metrics, Program: Program(), Open: s.Open, Work: s.work, Ready: ready,
	})
}

// checkRole fails if the service account lacks its role at Keycloak. An unreachable Keycloak does not prevent the
// start.
func (s *Service) checkRole(ctx context.Context) error {
	if s.config.IDP != "keycloak" {
		return nil
	}
	err := s.Options.Provider.Check(ctx)
	if errors.Is(err, idp.ErrRole) {
		return err
	}
	if err != nil {
		s.log.Warn("identity provider not reached at the start", "setting", "REGISTRAR_IDP_URL", "error", err.Error())
	}
	return nil
}

// warnUnmanaged logs that a crash during a change may lose the access to a client.
func (s *Service) warnUnmanaged() {
	if !s.Options.Provider.Abilities().Unmanaged {
		return
	}
	s.log.Warn("REGISTRAR_IDP_MANAGE_CLIENT_ID is not set: the identity provider may replace the registration access "+
		"token of a client with each change, and a crash during a change then locks the client", "idp", s.config.IDP)
}

// New assembles the components that need no database.
func New(cfg Config, log *slog.Logger) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("configuration:\n%w", err)
	}
	verifier, err := cfg.Verifier(log)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	s := &Service{Metrics: metrics.New("registrar", daemon.Version()), config: cfg, log: log, verifier: verifier}
	if s.Options, err = cfg.core(log, s.Metrics); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if s.catalog, err = cfg.catalog(s.Options.Rules); err != nil {
		return nil, err
	}
	s.API, err = api.New(api.Options{
		ScopeAliases: cfg.scopeAliases(),
		Verifier:     verifier, PartnerClaim: cfg.PartnerClaim, RolePointers: cfg.RolePointers(),
		Version: daemon.Version(), Development: cfg.Dev,
		ReadOnly: cfg.ReadOnly, MaxInFlight: cfg.MaxInFlight, Logger: log, Metrics: s.Metrics,
		Rates: cfg.Rates(), Registrations: cfg.RateRegistrations, Open: cfg.Rate(openRegistrations),
		TokenCookie: cfg.TokenCookie, PublicURL: cfg.PublicURL, Now: cfg.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	if s.UI, err = s.ui(); err != nil {
		return nil, err
	}
	return s, nil
}

// Open assembles the components behind the API on a database with the schema, and applies the
// catalogue.
func (s *Service) Open(ctx context.Context, db *sqldb.DB) error {
	s.db, s.Store = db, store.New(db)
	s.process = heartbeat.New(db, daemon.Version(), true, s.log)
	var approvals *daemon.Loop
	s.Options.WakeApprovals = func() { approvals.Wake() }
	if !s.config.ReadOnly {
		if err := s.process.Beat(ctx); err != nil {
			return err
		}
	}
	if err := s.sender(); err != nil {
		return err
	}
	s.Options.Store, s.Options.Process = s.Store, s.process.ID()
	s.Core = engine.New(s.Options)
	s.Sessions = s.Store.Sessions(s.sessions())
	work := jobs.Jobs{
		Engine: s.Core, Sessions: s.Sessions, Store: s.Store, Logger: s.log, Metrics: s.Metrics,
		KeySetting: prefix + "ENC_KEYS", Leads: s.process.Leads,
	}
	keys, logouts := work.Keys(), work.Logouts()
	if _, err := logouts.Pass(ctx); err != nil {
		return err
	}
	approvals = work.Approvals()
	s.Jobs = append(work.Workers(), keys, logouts)
	if s.Options.Approvals != nil {
		s.Jobs = append(s.Jobs, approvals, work.Standing())
	}
	if !s.config.ReadOnly {
		if _, err := keys.Pass(ctx); err != nil {
			return err
		}
		if err := s.config.apply(ctx, s.Core, s.catalog); err != nil {
			return fmt.Errorf("catalogue: %w", err)
		}
	}
	if err := s.Core.Catalog.WarnUnusablePolicies(ctx); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	s.API.SetEngine(s.Core, s.Sessions)
	if s.UI != nil {
		s.UI.SetEngine(s.Core, s.Sessions)
	}
	return nil
}

// work returns the background jobs.
func (s *Service) work() (all []func(context.Context) error) {
	for _, loop := range s.Jobs {
		all = append(all, loop.Run)
	}
	return append(all, func(ctx context.Context) error { return s.process.RunBeside(ctx, s.Sender.Run) })
}

// core returns the options of the engine without the store.
func (c *Config) core(log *slog.Logger, registry *metrics.Registry) (engine.Options, error) {
	rules, err := c.rules()
	if err != nil {
		return engine.Options{}, err
	}
	policy, err := c.OutboundPolicy("oidc-registrar/1")
	if err != nil {
		return engine.Options{}, err
	}
	claims, err := c.userAttributes()
	if err != nil {
		return engine.Options{}, err
	}
	provider, err := idp.New(c.IDP, idp.Options{
		Claims: claims, OtherClients: c.IDPOtherClients,
		URL: c.IDPURL, TokenURL: c.IDPTokenURL, ClientID: c.IDPClientID, ClientSecret: registrar.Secret(c.IDPClientSecret), Scope: c.IDPScope,
		SoleWriter: c.IDPSoleWriter, Calls: engine.MaxCalls + engine.Batch, Egress: policy,
		ManageClientID: c.IDPManageClientID, ManageClientSecret: registrar.Secret(c.IDPManageClientSecret),
		MetadataURL: c.IDPACRs,
	})
	if err != nil {
		return engine.Options{}, err
	}
	rules.Limits, rules.EnforcesPKCE = provider.Abilities().Limits, provider.Abilities().EnforcesPKCE
	approvals, err := c.approvals(policy)
	if err != nil {
		return engine.Options{}, err
	}
	keys, err := c.SealKeys(c.EncKeys)
	if err != nil {
		return engine.Options{}, err
	}
	open := engine.OpenRegistration{
		Unapproved: cmp.Or(c.OpenUnapproved, maxUnapproved), Live: cmp.Or(c.OpenClients, maxOpenClients),
	}
	open.PartnerID, open.PolicyID, _ = strings.Cut(c.OpenRegistration, "/")
	receivers, err := c.deliveries()
	return engine.Options{
		Rules: rules, Provider: provider, Approvals: approvals, ApprovalPolicy: c.ApprovalPolicy,
		MappingPolicy: c.ApprovalMappingPolicy, Open: open, Keys: keys, EndpointURL: receivers.CheckURL,
		Now: c.Now, Jitter: c.Chance, Logger: log, Metrics: registry,
	}, err
}

// catalog reads the catalogue file, or in development the sample if there is no file.
func (c *Config) catalog(rules registrar.Rules) (engine.CatalogFile, error) {
	data := engine.Sample
	switch {
	case c.CatalogFile != "":
		var err error
		if data, err = os.ReadFile(c.CatalogFile); err != nil {
			return engine.CatalogFile{}, fmt.Errorf("REGISTRAR_CATALOG_FILE: %w", err)
		}
	case !c.Dev:
		return engine.CatalogFile{}, nil
	}
	catalog, err := engine.ParseCatalog(data, rules)
	if err != nil {
		return catalog, fmt.Errorf("REGISTRAR_CATALOG_FILE: %s: %w", c.CatalogFile, err)
	}
	return catalog, nil
}

// apply stores the catalogue. It does not store the sample in a catalogue with entries.
func (c *Config) apply(ctx context.Context, core *engine.Engine, catalog engine.CatalogFile) error {
	if c.CatalogFile == "" {
		there, _, err := core.Catalog.ListPartners(ctx, engine.Caller{Admin: true}, registrar.Page{Limit: 1})
		if err != nil || len(there) > 0 {
			return err
		}
	}
	return core.Catalog.ApplyFile(ctx, catalog)
}
