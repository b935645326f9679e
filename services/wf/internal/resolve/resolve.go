// Package resolve resolves approver rules by external services: a Keycloak realm for roles, groups,
// managers and usernames, and HTTP resolvers.
//
// An answer is complete, or an error. A missing page or a truncated body must not omit users: too few
// approvers can weaken a quorum.
package resolve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	// maxPeople is the maximum number of users of one rule, unless its question has another one.
	maxPeople = 1000

	// answerTime bounds a question with all its calls and retries, because a caller may be blocked.
	answerTime = 5 * time.Second

	// retries is the number of retries of a call after a network error or a 5xx.
	retries = 2

	// fresh is the cache lifetime of a directory answer.
	fresh = time.Minute
)

// Options holds the dependencies and settings of a Resolver.
type Options struct {
	// Keycloak is the directory; nil for none.
	Keycloak *Keycloak

	// Endpoints are the named HTTP resolvers and their URLs.
	Endpoints map[string]string

	// Sign returns the signatures of a message to a resolver, by its name or its URL. It fails for a target
	// without a secret; the message is not sent then.
	Sign func(to outbox.Target, id string, at time.Time, body []byte) (string, error)

	// Outbound limits the permitted targets. Its Total and UserAgent are set here.
	Outbound egress.Policy

	Timeout time.Duration    // of one question; 5 s when zero
	Now     func() time.Time // time.Now when nil
	Logger  *slog.Logger     // slog.Default() when nil

	Metrics *metrics.Registry // may be nil
}

// Resolver answers questions. It is safe for concurrent use.
type Resolver struct {
	Options
	client    *retryablehttp.Client
	directory *directory // nil without one
	cache     *cache

	seconds *prometheus.HistogramVec
	kept    *prometheus.CounterVec
}

// New returns a Resolver. It makes no call, so the service starts without the directory.
func New(o Options) *Resolver {
	o.Timeout, o.Logger = cmp.Or(o.Timeout, answerTime), cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Outbound.Total, o.Outbound.UserAgent = o.Timeout, "wf-resolver/1"
	r := &Resolver{Options: o, client: egress.NewRetrying(o.Outbound, retries), cache: newCache(o.Now),
		seconds: o.Metrics.Histogram("resolver_duration_seconds", "Time of approver queries, by rule type.",
			[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}, "type", "outcome"),
		kept: o.Metrics.Counter("resolver_cached_total", "Approver queries answered from the cache.", "type"),
	}
	if o.Keycloak != nil {
		r.directory = &directory{Keycloak: *o.Keycloak, client: r.client, now: o.Now}
	}
	return r
}

// Resolve returns the distinct users of a rule.
//
// A refusal with wf.ResolverFailed means a temporary failure; a retry may succeed. A refusal with
// wf.EngineRefused is permanent: a nonexistent name, too many people, or a context rejected by the
// resolver. Messages contain the rule but no host. The cause of a failure is logged.
func (r *Resolver) Resolve(ctx context.Context, q approver.Question) ([]identity.User, error) {
	key := q.Key()
	if users, ok := r.cache.get(key, q.MaxAge); ok {
		r.kept.WithLabelValues(string(q.Rule.Type)).Inc()
		return users, nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	asked := time.Now()
	ctx, span := trace.Tracer(ctx).Start(ctx, "resolve approvers", oteltrace.WithAttributes(attribute.String("rule.type", string(q.Rule.Type))))
	users, lasts, err := r.ask(ctx, q)
	if errors.Is(err, errTooMany) {
		err = refusal.New(reason.EngineRefused, "%s yields more than %d people", describe(q.Rule), cmp.Or(q.Most, maxPeople))
	}
	outcome, failure := "answered", ""
	switch _, refused := errors.AsType[*refusal.Error](err); {
	case refused:
		users, outcome = nil, "refused"
	case err != nil:
		r.Logger.WarnContext(ctx, "approver rule not answered", "rule", describe(q.Rule), "setting", setting(q.Rule), "error", err)
		err = reason.NoAnswer("%s: no answer from upstream", describe(q.Rule))
		users, outcome, failure = nil, "failed", "failed"
	default:
		r.cache.put(key, users, lasts)
	}
	r.seconds.WithLabelValues(string(q.Rule.Type), outcome).Observe(time.Since(asked).Seconds())
	span.SetAttributes(attribute.String("outcome", outcome))
	trace.End(span, failure)
	return users, err
}

// Search finds enabled users of the directory by a part of their names. A refusal with wf.ResolverFailed
// means a temporary failure.
func (r *Resolver) Search(ctx context.Context, text string, limit int) ([]identity.User, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	users, err := r.directory.search(ctx, text, limit)
	if err != nil {
		r.Logger.WarnContext(ctx, "directory search failed", "setting", directorySetting, "error", err)
		return nil, reason.NoAnswer("the directory does not respond")
	}
	return users, nil
}

// CheckDirectory searches the directory once. Its error contains the cause.
func (r *Resolver) CheckDirectory(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	_, err := r.directory.search(ctx, "a", 1)
	return err
}

// ask returns the answer and its cache lifetime.
func (r *Resolver) ask(ctx context.Context, q approver.Question) ([]identity.User, time.Duration, error) {
	if q.Rule.Type == policy.RuleHTTP {
		return r.askHTTP(ctx, q)
	}
	if r.directory == nil {
		return nil, 0, refusal.New(reason.EngineRefused, "%s: no directory is configured", describe(q.Rule))
	}
	users, err := r.directory.answer(ctx, q)
	return users, fresh, err
}

// directorySetting is the variable of the directory's URL.
const directorySetting = "WF_KEYCLOAK_URL"

// setting returns the variable of the service that answers a rule.
func setting(r policy.Rule) string {
	switch {
	case r.Type != policy.RuleHTTP:
		return directorySetting
	case r.URL != "":
		return "WF_RESOLVER_HOSTS"
	default:
		return "WF_RESOLVERS"
	}
}

// describe returns the display form of a rule: its type, and its name unless that is a URL.
func describe(r policy.Rule) string {
	switch {
	case r.Type == policy.RuleHTTP && r.URL != "":
		return "http rule with a url"
	case r.Type == policy.RuleHTTP:
		return "resolver " + r.Resolver
	case r.Type == policy.RuleRole && r.Client != "":
		return "role " + r.Role + " of client " + r.Client
	case r.Type == policy.RuleUser:
		return "users"
	default:
		r.Label = ""
		return r.String()
	}
}

// people collects the users of a rule.
type people struct {
	users []identity.User
	seen  map[string]bool

	most int // zero is maxPeople
}

var errTooMany = errors.New("too many people")

// add adds a user if absent. It fails above the limit.
func (p *people) add(u identity.User) error {
	if p.seen[u.ID] {
		return nil
	}
	if len(p.users) == cmp.Or(p.most, maxPeople) {
		return errTooMany
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[u.ID] = true
	p.users = append(p.users, u.Sanitize())
	return nil
}
