package engine

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// CatalogFile holds partners, policies and their mappings. Its YAML form has the names of the API.
type CatalogFile struct {
	Partners []registrar.Partner `json:"partners"`
	Policies []registrar.Policy  `json:"policies"`
	Mappings []registrar.Mapping `json:"mappings"`
}

// Sample is the catalogue of a development server: one partner with one policy.
//
//go:embed sample.yaml
var Sample []byte

// ParseCatalog parses a catalogue in YAML. An error contains the line and the reason.
func ParseCatalog(data []byte, rules registrar.Rules) (c CatalogFile, err error) {
	var root yaml.Node
	var tree any
	if err := errors.Join(yaml.Unmarshal(data, &root), root.Decode(&tree)); err != nil {
		return c, yamlError(err)
	}
	document, err := json.Marshal(tree)
	if err != nil {
		return c, errors.New("a key is not a text")
	}
	if tree == nil {
		return c, nil
	}
	err = strictjson.DecodeClosed(document, strictjson.Default, &c)
	if found, ok := errors.AsType[*strictjson.Error](err); ok {
		return CatalogFile{}, fmt.Errorf("line %d: %v %s", lineOf(&root, found.Path...), found.Path[len(found.Path)-1], found.Reason)
	}
	check := func(list string, index int, err error) error {
		refused, ok := errors.AsType[*refusal.Error](err)
		if !ok {
			return err
		}
		path := append([]any{list, index}, strictjson.Steps(refused.Where)...)
		return fmt.Errorf("line %d: %s %s", lineOf(&root, path...), registrar.FieldPath(refused.Where), refused.Message)
	}
	for i, p := range c.Partners {
		if err := check("partners", i, rules.CheckPartner(p)); err != nil {
			return CatalogFile{}, err
		}
	}
	for i, p := range c.Policies {
		if err := check("policies", i, rules.CheckPolicy(p)); err != nil {
			return CatalogFile{}, err
		}
	}
	for i, m := range c.Mappings {
		if err := check("mappings", i, m.Check()); err != nil {
			return CatalogFile{}, err
		}
	}
	return c, nil
}

// yamlError converts the first error of the YAML library to one line: "line 3: …".
func yamlError(err error) error {
	if found, ok := errors.AsType[*yaml.TypeError](err); ok {
		return errors.New(found.Errors[0])
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(strings.TrimPrefix(text, "yaml: "))
}

// lineOf returns the line of the value at a path, or of the last value on the way.
func lineOf(node *yaml.Node, path ...any) int {
	if node.Kind == yaml.DocumentNode {
		node = node.Content[0]
	}
	for _, step := range path {
		var next *yaml.Node
		switch step := step.(type) {
		case int:
			if node.Kind == yaml.SequenceNode && step < len(node.Content) {
				next = node.Content[step]
			}
		case string:
			for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
				if node.Content[i].Value == step {
					next = node.Content[i+1]
				}
			}
		}
		if next == nil {
			break
		}
		node = next
	}
	return node.Line
}

// Catalog has the use cases of partners, policies and their mappings.
type Catalog struct{ *core }

// catalogActor is the actor of changes by the catalogue file.
const catalogActor = "system:catalog"

// ApplyFile stores all entries of a catalogue in one transaction. Entries that are not in it
// remain unchanged.
func (g *Catalog) ApplyFile(ctx context.Context, c CatalogFile) error {
	return g.store.Do(ctx, func(tx *store.Tx) error {
		for _, p := range c.Partners {
			if err := tx.Catalog.ChangePartner(p, catalogActor); err != nil {
				return err
			}
		}
		for _, p := range c.Policies {
			if err := tx.Catalog.ChangePolicy(p, catalogActor); err != nil {
				return err
			}
		}
		for _, m := range c.Mappings {
			if err := tx.Catalog.ChangeMapping(m, catalogActor); err != nil {
				return err
			}
		}
		return nil
	})
}

// PutPartner creates or updates a partner. With cascade, the ACTIVE clients of an inactive partner
// become INACTIVE. After an error some may still be ACTIVE; a repeated call continues.
func (g *Catalog) PutPartner(ctx context.Context, by Caller, p registrar.Partner, cascade bool) error {
	if err := g.Rules.CheckPartner(p); err != nil {
		return err
	}
	err := g.change(ctx, by, "partner "+p.ID, func(tx *store.Tx) error { return tx.Catalog.ChangePartner(p, by.Subject) })
	if err != nil || !cascade || p.Status != registrar.EntryInactive {
		return err
	}
	return g.deactivateClients(ctx, by, p.ID)
}

// deactivateClients makes the ACTIVE clients of a partner INACTIVE, each in its own transaction. The
// worker updates the identity provider. A new approval does not enable them, nor a suspended client.
func (g *Catalog) deactivateClients(ctx context.Context, by Caller, partnerID string) error {
	active := registrar.ClientFilter{API: registrar.PartnerAPI, PartnerID: partnerID, Status: registrar.ClientActive}
	suspended := registrar.ClientFilter{API: registrar.PartnerAPI, PartnerID: partnerID, Suspended: true}
	return errors.Join(g.deactivateListed(ctx, by, active), g.deactivateListed(ctx, by, suspended))
}

func (g *Catalog) deactivateListed(ctx context.Context, by Caller, f registrar.ClientFilter) error {
	var errs []error
	for page := (registrar.Page{Limit: 200}); ; {
		clients, next, err := g.store.Clients(ctx, f, page)
		if err != nil {
			return err
		}
		for _, c := range clients {
			errs = append(errs, g.store.Do(ctx, func(tx *store.Tx) error { return g.deactivateClient(tx, by, c.ID) }))
		}
		if page.Cursor = next; next == "" {
			return errors.Join(errs...)
		}
	}
}

// deactivateClient makes a client INACTIVE, or enqueues the call for it.
func (g *Catalog) deactivateClient(tx *store.Tx, by Caller, id string) error {
	before, err := tx.Client(id)
	if err != nil || before.Status != registrar.ClientActive && !before.Suspended {
		return err
	}
	if err := withdrawLastApproval(tx, before); err != nil {
		return err
	}
	u := before.Deactivation()
	u.Immediate, u.Lift = before.Suspended, by.Admin
	after, err := before.Update(u, tx.Now())
	if err != nil {
		return err
	}
	if g.direct || before.Suspended {
		return storeUpdate(tx, before, after, u, by.Subject)
	}
	pending, _, err := tx.Call(id)
	if err != nil {
		return err
	}
	call := g.newCall(tx, id, registrar.CallUpdate, pending.Call, u.MergePending(pending.Wanted), by, due)
	return tx.Enqueue(*call, g.Process)
}

// WarnUnusablePolicies logs each stored ACTIVE policy whose clients the rules refuse, after a change of the
// settings.
func (g *Catalog) WarnUnusablePolicies(ctx context.Context) error {
	for page := (registrar.Page{Limit: 200}); ; {
		policies, next, err := g.store.Policies(ctx, page)
		if err != nil {
			return err
		}
		for _, p := range policies {
			if err := g.Rules.CheckPolicy(p); err != nil && p.Status == registrar.EntryActive {
				g.log.WarnContext(ctx, "policy refuses each registration", "policy", p.ID, "error", registrar.Describe(err))
			}
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}

// PutPolicy creates or updates a policy. Registered clients do not change.
func (g *Catalog) PutPolicy(ctx context.Context, by Caller, p registrar.Policy) error {
	if err := g.Rules.CheckPolicy(p); err != nil {
		return err
	}
	if p.ApprovalPolicy != "" && g.Approvals == nil {
		return refusal.At(registrar.InvalidCatalogEntry, "/approvalPolicy", "needs an approval service: set REGISTRAR_APPROVAL_URL")
	}
	return g.change(ctx, by, "policy "+p.ID, func(tx *store.Tx) error { return tx.Catalog.ChangePolicy(p, by.Subject) })
}

// ApproveMapping approves the mapping of a partner to a policy, and a request for it that is in progress.
func (g *Catalog) ApproveMapping(ctx context.Context, by Caller, partnerID, policyID string) (registrar.Mapping, error) {
	m := registrar.Mapping{PartnerID: partnerID, PolicyID: policyID, Status: registrar.MappingApproved}
	if err := g.refuseAdminDecision(); err != nil {
		return m, err
	}
	return m, g.change(ctx, by, "mapping "+partnerID+" "+policyID, func(tx *store.Tx) error {
		asked, err := tx.Catalog.NewestMappingRequest(m, registrar.MappingInProgress)
		if err == nil && asked.Key != "" {
			_, err = g.decideMapping(tx, by, asked, string(registrar.MappingRequestApproved), "")
		} else if err == nil {
			err = tx.Catalog.ChangeMapping(m, by.Subject)
		}
		return err
	})
}

// RevokeMapping revokes a mapping. Clients that were registered under it remain.
func (g *Catalog) RevokeMapping(ctx context.Context, by Caller, partnerID, policyID string) (registrar.Mapping, error) {
	m := registrar.Mapping{PartnerID: partnerID, PolicyID: policyID, Status: registrar.MappingRevoked}
	return m, g.change(ctx, by, "mapping "+partnerID+" "+policyID, func(tx *store.Tx) error {
		return tx.Catalog.WithdrawMapping(m, by.Subject)
	})
}

// change writes to the catalogue and logs the entry and the actor.
func (g *Catalog) change(ctx context.Context, by Caller, entry string, fn func(*store.Tx) error) error {
	err := g.store.Do(ctx, fn)
	if err == nil {
		g.log.InfoContext(ctx, "catalogue changed", "entry", entry, "actor", by.Subject)
	}
	return err
}

// GetPartner returns a partner with its mappings. A partner's caller can read their own partner only;
// the refusal does not reveal whether another exists.
func (g *Catalog) GetPartner(ctx context.Context, by Caller, id string) (registrar.Partner, []registrar.Mapping, error) {
	partner, err := g.ownPartner(ctx, by, id)
	if err != nil {
		return partner, nil, err
	}
	mappings, err := g.store.Mappings(ctx, id)
	return partner, mappings, err
}

// ownPartner returns a partner that the caller can read.
func (g *Catalog) ownPartner(ctx context.Context, by Caller, id string) (registrar.Partner, error) {
	if !by.Owns(id) {
		return registrar.Partner{}, refusal.New(registrar.ForeignRead, "partner %s is not the caller's own", id)
	}
	return g.store.Partner(ctx, id)
}

// ListPartners lists partners by id: all for an admin, their own for a partner's caller.
func (g *Catalog) ListPartners(ctx context.Context, by Caller, p registrar.Page) ([]registrar.Partner, string, error) {
	if by.Admin {
		return g.store.Partners(ctx, nil, p)
	}
	if len(by.Partners) == 0 {
		return nil, "", refusal.New(registrar.ForeignRead, "the caller belongs to no partner")
	}
	return g.store.Partners(ctx, by.Partners, p)
}

// ListPartnerEvents lists the audit trail of a partner, the oldest first, for its own caller and for an
// admin. Only admins see actors.
func (g *Catalog) ListPartnerEvents(ctx context.Context, by Caller, id string, p registrar.Page) ([]registrar.CatalogEvent, string, error) {
	partner, err := g.ownPartner(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	events, next, err := g.store.CatalogEvents(ctx, registrar.CatalogEventFilter{Partners: []string{partner.ID}}, p)
	return by.withoutActors(events), next, err
}

// ListPolicyEvents lists the audit trail of a policy, the oldest first. A partner's caller reads the
// entries that name their own partners, without actors.
func (g *Catalog) ListPolicyEvents(ctx context.Context, by Caller, id string, p registrar.Page) ([]registrar.CatalogEvent, string, error) {
	if !by.Admin && len(by.Partners) == 0 {
		return nil, "", refusal.New(registrar.ForeignRead, "the caller belongs to no partner")
	}
	if _, err := g.store.Policy(ctx, id); err != nil {
		return nil, "", err
	}
	f := registrar.CatalogEventFilter{PolicyID: id}
	if !by.Admin {
		f.Partners = by.Partners
	}
	events, next, err := g.store.CatalogEvents(ctx, f, p)
	return by.withoutActors(events), next, err
}

// withoutActors removes the actors of catalogue events unless the caller is an admin. The actors
// are admins.
func (c Caller) withoutActors(events []registrar.CatalogEvent) []registrar.CatalogEvent {
	if !c.Admin {
		for i := range events {
			events[i].Actor = ""
		}
	}
	return events
}

// GetPolicy returns a policy.
func (g *Catalog) GetPolicy(ctx context.Context, id string) (registrar.Policy, error) {
	return g.store.Policy(ctx, id)
}

// ListPolicies lists policies by id.
func (g *Catalog) ListPolicies(ctx context.Context, p registrar.Page) ([]registrar.Policy, string, error) {
	return g.store.Policies(ctx, p)
}
