package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// objectOf returns the type of the object of a path; without one, it is the caller.
func objectOf(path string) wf.ResourceType {
	for segment := range strings.SplitSeq(path, "/") {
		if kind := objects[segment]; kind != "" {
			return wf.ResourceType(kind)
		}
	}
	return "person"
}

const (
	maxUserAgent = 200 // stored bytes
	refusalTime  = 2 * time.Second
)

// attemptOf returns the audit record for a refusal of the call, or nil if it is not audited. Audited are acts on tasks,
// the activation of a policy, and every write of a party that acts for a person.
func attemptOf(ctx huma.Context, represented bool) *engine.Refusal {
	kind := objectOf(ctx.Operation().Path)
	if ctx.Method() == get || !represented && kind != "task" && ctx.Operation().OperationID != "activateVersion" {
		return nil
	}
	agent := ctx.Header("User-Agent")
	r := &engine.Refusal{
		Operation: ctx.Operation().OperationID, About: wf.Resource{Type: kind, ID: ctx.Param("id")}, Peer: ctx.RemoteAddr(),
		UserAgent: strings.ToValidUTF8(agent[:min(len(agent), maxUserAgent)], ""),
	}
	if kind == "policy" {
		r.About.ID = ctx.Param("key")
		r.About.Version, _ = strconv.Atoi(ctx.Param("v")) // 0 if invalid
	}
	return r
}

// recordRefusal appends a refusal of a permission to the audit trail. An error does not change the
// reply.
func (a *API) recordRefusal(ctx context.Context, refused *refusal.Error) {
	by := web.CallerOf[caller](ctx)
	if by.attempt == nil {
		return
	}
	r := *by.attempt
	r.ErrorCode, r.Message = wire[refused.Reason].code, refused.Message
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(refusalTime, a.Patience))
	defer cancel()
	if err := a.engine.Audit.RecordRefusal(ctx, by.Actor, r); err != nil {
		a.Logger.WarnContext(ctx, "refusal not recorded", "operation", r.Operation, "error", err)
	}
}
