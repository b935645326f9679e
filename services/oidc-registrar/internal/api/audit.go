package api

import (
	"context"
	"io"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountAudit registers the operations of the audit trail of all clients.
func (a *API) mountAudit() {
	const path = "/v1/registrar/admin/audit"
	handle(a, operation{"listAudit", get, path, admins, 200, nil,
		"Read the audit trail of all clients, the newest entry first"}, a.listAudit)
	exporting := web.Operation{
		ID: "exportAudit", Method: get, Path: path + "/export", Access: admins, Status: 200, Summary: "Export the audit trail of all clients",
	}
	web.Register(a.Server, exporting, nil, a.exportAudit, func(documented *huma.Operation) {
		documented.Responses["200"].Content = map[string]*huma.MediaType{
			ndjson: {Schema: &huma.Schema{Type: huma.TypeString, Description: "One entry per line; the last line has their " +
				"number and the SHA-256 of all previous lines."}},
		}
	})
}

// AuditQuery holds the filters of the audit trail. It is exported for the same reason as Paging.
type AuditQuery struct {
	ClientID string              `query:"clientId" maxLength:"100" doc:"Entries of this client."`
	Actor    string              `query:"actor" maxLength:"256" doc:"Entries of this actor: the subject of a token, oidc-registrar, or initial access token:ID."`
	Kind     registrar.EventType `query:"kind" doc:"Entries of this type."`
	Since    time.Time           `query:"since" doc:"Entries from this time on."`
	Until    time.Time           `query:"until" doc:"Entries before this time."`
}

func (q AuditQuery) filter() registrar.AuditFilter {
	return registrar.AuditFilter{ClientID: q.ClientID, Actor: q.Actor, Type: q.Kind, Since: q.Since, Until: q.Until}
}

// auditView is an entry of the audit trail of all clients.
type auditView struct {
	ClientID string `json:"clientId,omitempty" doc:"Client of the entry; absent for a refused registration without an id."`
	eventView
	Purged int64 `json:"purged,omitempty" doc:"Number of old entries that a purge has deleted."`
}

type listAuditInput struct {
	Paging
	AuditQuery
}

func (a *API) listAudit(ctx context.Context, in *listAuditInput) (page[auditView], error) {
	events, next, err := a.registrar.Audit.ListAudit(ctx, callerOf(ctx), in.filter(), in.page())
	return newPage(events, next, err, func(e registrar.AuditEvent) auditView {
		return auditView{e.ClientID, viewEvent(e.Event), e.Purged}
	})
}

func (a *API) exportAudit(ctx context.Context, in *AuditQuery) (*streamed, error) {
	by := callerOf(ctx)
	if err := web.BeginLong(ctx); err != nil {
		return nil, err
	}
	return &streamed{func(ctx huma.Context) {
		web.Stream(ctx, ndjson, func(ctx context.Context, w io.Writer) error {
			return a.registrar.Audit.ExportAudit(ctx, by, in.filter(), w)
		})
	}}, nil
}
