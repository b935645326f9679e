package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// attempts are the operations whose refusals the audit trail has, with what they act on.
var attempts = map[string]string{"claimTask": "task", "decideTask": "task", "reassignTask": "task", "decideTasks": "task", "activateVersion": "policy"}

const (
	maxUserAgent = 200 // bytes that are kept
	refusalTime  = 2 * time.Second
)

// attemptOf is what the audit trail has of a call if it is refused; nil when nothing.
func attemptOf(ctx huma.Context) *engine.Refusal {
	kind, audited := attempts[ctx.Operation().OperationID]
	if !audited {
		return nil
	}
	agent := ctx.Header("User-Agent")
	r := &engine.Refusal{
		Operation: ctx.Operation().OperationID, About: wf.Resource{Type: kind, ID: ctx.Param("id")}, Peer: ctx.RemoteAddr(),
		UserAgent: strings.ToValidUTF8(agent[:min(len(agent), maxUserAgent)], ""),
	}
	if kind == "policy" {
		r.About.ID = ctx.Param("key")
		r.About.Version, _ = strconv.Atoi(ctx.Param("v")) // 0 is no version
	}
	return r
}

// recordRefusal tells the audit trail that the caller may not do what they tried, or not
// any more. The caller's answer is the same whether that works or not.
func (a *API) recordRefusal(ctx context.Context, reason error, message string) {
	by := web.CallerOf[caller](ctx)
	if by.attempt == nil {
		return
	}
	r := *by.attempt
	r.ErrorCode, r.Message = wire[reason].code, message
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(refusalTime, a.Patience))
	defer cancel()
	if err := a.engine.RecordRefusal(ctx, by.Actor, r); err != nil {
		a.Logger.WarnContext(ctx, "refusal not recorded", "operation", r.Operation, "error", err)
	}
}
