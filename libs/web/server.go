package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/trace"
)

// requestTime is the time limit of a request, unless Options.Patience is longer.
const requestTime = 10 * time.Second

// contentPolicy forbids a browser to render a reply.
const contentPolicy = "default-src 'none'; frame-ancestors 'none'"

// Options configures a Server. Title, Version and Failure are required; operations of Register also
// require the members on tokens and documents. Other members have a working zero value.
type Options struct {
	Title, Version, Description string // of the OpenAPI document
	Local                       string // URL of the service as make run starts it, for the document

	// OpenUnknownMembers ignores undeclared members of request bodies instead of returning 422. It also
	// ignores a member that differs from a declared one in letter case, which encoding/json would decode.
	OpenUnknownMembers bool

	ReadOnly bool // refuses every operation but GET with ReadOnly

	MaxBody      int64 // of a request, in bytes; 256 KiB if 0. More is 413
	MaxInFlight  int   // requests at a time; 256 if 0. More is 503 with Retry-After
	MaxLongPolls int   // concurrent waiting calls; see LongPoll
	Rates        Rates

	// Service reports whether a result of Caller is a service and not a person. If it is nil, no
	// caller is a service.
	Service func(caller any) bool

	// Long lists the operations, by ID, with calls of up to an hour: see Alone.
	Long []string

	Now func() time.Time // the clock of Rates; time.Now if nil

	Loopback bool // refuse requests whose Host is not loopback, for development
	HTTPS    bool // browsers reach the service over https: send Strict-Transport-Security (RFC 6797)

	Patience time.Duration // the least that a request and a look at the database may take, for tests

	// Failure returns the reply of a failed call, an error of Refuse or Unprocessable. err is a refusal of
	// this package or the error of a handler. Any other error that Failure returns is logged and sent
	// without detail. op is the operation of the call; without one it has method and path only.
	Failure func(ctx context.Context, op Operation, err error) error

	// Unfit replaces the 422 reply of a request that violates its schema by an error of Refuse.
	Unfit func(ctx context.Context, op Operation, details []Detail) error

	// Verifier verifies tokens, RolePointers locate their roles, and Caller converts a token into the result
	// of CallerOf. An error of Caller refuses the token and is the cause in the log; Forbidden is the
	// reply.
	Verifier     *bearer.Verifier
	RolePointers []string
	Caller       func(ctx huma.Context, token bearer.Token, roles []string) (any, error)

	// TokenCookie accepts the token from the cookie Authorization of a request without that header. Browsers
	// send cookies with requests of other origins, so changes from another origin are refused.
	TokenCookie bool

	// The document: descriptions and examples by operation ID, group and failure schema by path, status and
	// code by reason, headers by status.
	Descriptions   map[string]string
	Examples       map[string]json.RawMessage
	Tag            func(path string) string
	FailureSchema  func(path string) *huma.Schema
	FailureHeaders map[int]map[string]*huma.Header
	Code           func(reason error) (status int, code string)

	// Open lists paths of operations that always answer, such as health, beside /, the documents, /livez,
	// /readyz and /version. MaxInFlight does not count them.
	Open []string

	// Objects are the log attributes of ids in paths, by the segment before the id.
	Objects map[string]string

	Logger  *slog.Logger      // slog.Default if nil
	Metrics *metrics.Registry // may be nil
}

// Server is an echo router with a huma API. Register adds operations, then ServeDocuments adds the
// documents. It is an http.Handler that refuses calls until Start.
type Server struct {
	Echo *echo.Echo

	// API is huma's. Its groups would bypass the checks of this package.
	API huma.API

	gate
	*limits
	options Options
	metrics httpMetrics
	shown   map[string]*huma.Schema // see Show
	pages   *Pages                  // may be nil
}

// documents are logged like operations.
var documents = []string{"/", "/docs", "/openapi.json", "/openapi.yaml"}

// New returns a Server without operations.
func New(o Options) *Server {
	if o.Failure == nil {
		panic("web: Options.Failure is not set")
	}
	o.MaxBody = cmp.Or(o.MaxBody, 256<<10)
	o.MaxInFlight = cmp.Or(o.MaxInFlight, 256)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.Open = slices.Concat(documents, []string{readyPath}, probes, o.Open)

	e := echo.New()
	e.Logger.SetOutput(io.Discard) // this package logs
	e.IPExtractor = echo.ExtractIPDirect()
	s := &Server{Echo: e, options: o, metrics: newMetrics(o.Metrics), limits: newLimits(o)}
	s.logger, s.patience = o.Logger, o.Patience
	s.opened = make(chan struct{})
	s.stopping, s.drain = context.WithCancel(context.Background())
	s.longEnd, s.endLong = context.WithCancelCause(context.Background())
	s.measure(o.Metrics)
	o.Metrics.Func("ready", "1 while /readyz returns 200.", func() float64 {
		return truth(s.unready() == nil)
	})
	o.Metrics.Func("database_takes_writes", "0 while the database is read-only.", func() float64 {
		return truth(!s.started.Load() || s.database.Writable() == nil)
	})
	e.HTTPErrorHandler = s.handleError
	e.OnAddRouteHandler = func(_ string, r echo.Route, _ echo.HandlerFunc, _ []echo.MiddlewareFunc) {
		s.metrics.add(r.Method, r.Path)
	}
	e.Pre(s.enter)
	e.Use(exactRoute)
	s.API = newAPI(s)
	s.API.UseMiddleware(s.authenticate)
	return s
}

// truth returns a bool as a metric.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.Echo.ServeHTTP(w, r) }

// HTTPServer returns a server with limits of time and size for each connection.
func HTTPServer(addr string, h http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),

		DisableGeneralOptionsHandler: true, // OPTIONS * is an unknown route like any other
	}
}

// call holds the state of one request. It is stored in the context.
type call struct {
	server    *Server
	id        string
	operation Operation
	by        any          // set by authenticate
	route     string       // of the call that reached one; set by exactRoute
	code      string       // of the refusal; set by answer
	subject   string       // whose limits count: that of the token, or the address of a stranger
	body      []byte       // set by check
	schema    *huma.Schema // of the body, set by check
	incoming  io.Reader    // the body that the handler reads itself, set by check

	charged  int64              // bytes
	decoding int64              // of them, while the body is decoded
	slot     chan struct{}      // to give back, or nil
	alone    bool               // no other call of the subject may take long
	waited   time.Duration      // in long polls
	end      context.CancelFunc // of the rest of a long poll, or nil

	caller  context.Context // ends when the caller is gone, and not at the request's time
	control *http.ResponseController
}

type callKey struct{}

// callOf returns the request of ctx, or an empty one outside a request.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{caller: context.Background()}
}

// RequestID returns the id of the request of ctx, as in X-Request-Id and the log. It is empty outside a
// request.
func RequestID(ctx context.Context) string { return callOf(ctx).id }

// Body returns the request's body in a handler of an operation with one: a strict JSON document, or
// empty. Callers must not change it.
func Body(ctx context.Context) []byte { return callOf(ctx).body }

// goodID matches an accepted inbound request id.
var goodID = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

func requestID(h http.Header) string {
	if ids := h.Values("X-Request-Id"); len(ids) == 1 && goodID.MatchString(ids[0]) {
		return ids[0]
	}
	return rand.Text()
}

// enter is the outermost step of every request, known route or not.
func (s *Server) enter(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		id := requestID(c.Request().Header)
		called := &call{
			server: s, id: id, caller: c.Request().Context(), control: http.NewResponseController(c.Response()),
			subject: "address " + AddressOf(c.Request().RemoteAddr),
		}
		defer s.release(called)
		if c.Request().Body != http.NoBody { // net/http reads the rest after a refusal
			_ = called.control.SetReadDeadline(start.Add(bodyTime)) // a recorder in a test has none
		}
		ctx := oplog.WithCall(c.Request().Context(), id)
		if parents := c.Request().Header.Values(trace.Header); len(parents) == 1 {
			ctx = trace.Resume(ctx, parents[0])
		}
		ctx, span := s.span(ctx, c.Request())
		ctx = context.WithValue(oplog.Begin(ctx), callKey{}, called)
		ctx, cancel := context.WithTimeout(ctx, max(requestTime, s.options.Patience))
		defer cancel()
		c.SetRequest(c.Request().WithContext(ctx))

		h := c.Response().Header()
		h.Set("X-Request-Id", id)
		h.Set("Content-Type", "application/json") // for raw bodies; others set it again
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("Referrer-Policy", "no-referrer")
		if s.options.HTTPS || c.Request().TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if len(c.Request().TransferEncoding) > 0 {
			// net/http takes no notice of a Content-Length beside chunks. A proxy that
			// counts by it may have sent what comes next as part of this body, so nothing
			// more is read from the connection (RFC 9112, section 6.3).
			h.Set("Connection", "close")
		}
		c.Response().Before(func() { // a call may have begun before the drain
			if s.stopping.Err() != nil {
				h.Set("Connection", "close")
			}
		})

		s.metrics.inFlight.Inc()
		defer func() {
			v := recover()
			aborted := v == http.ErrAbortHandler
			if v != nil && !aborted {
				s.options.Logger.ErrorContext(ctx, "panic", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				// Closing the connection is the only signal of an incomplete
				// reply.
				if aborted = c.Response().Committed; !aborted {
					s.fail(c, &refusal.Error{Reason: Internal, Message: "internal error"})
				}
			}
			status, took := called.loggedStatus(c.Response().Status), time.Since(start)
			s.logCall(ctx, c, status, took)
			called.endSpan(span, c.Request().Method, status)
			s.metrics.observe(called, status, took-called.waited)
			if aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		if err := s.admit(c, next); err != nil {
			s.handleError(err, c)
		}
		return nil
	}
}

// admit admits a request if the server is ready and the path is unambiguous.
func (s *Server) admit(c echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	if refusal := s.checkHost(r); refusal != nil {
		s.fail(c, refusal)
		return nil
	}
	if !slices.Contains(s.options.Open, r.URL.Path) {
		if why := s.awaitStart(r.Context()); why != nil {
			s.fail(c, why)
			return nil
		}
	}
	if !isPlainPath(r.URL.Path, r.URL.EscapedPath()) {
		return echo.ErrNotFound
	}
	r.URL.RawPath = "" // echo would route on it, and leave its parameters escaped
	return next(c)
}

// unreservedEscape matches the escape of a letter, a digit or one of - . _ ~ (RFC 3986 §2.3).
var unreservedEscape = regexp.MustCompile(`(?i)%(2d|2e|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])`)

// isPlainPath reports whether a path has only whole segments: none empty, none a
// dot segment, no escaped slash, backslash or control character, and that they are
// UTF-8. It refuses escapes of unreserved characters (RFC 3986 §6.2.2.2): a proxy that
// matches /admin by prefix does not see /%61dmin.
func isPlainPath(path, escaped string) bool {
	if strings.Count(path, "/") != strings.Count(escaped, "/") || !strings.HasPrefix(path, "/") || !utf8.ValidString(path) {
		return false
	}
	if unreservedEscape.MatchString(escaped) {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" && path != "/" || segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' })
}

// exactRoute corrects echo's router: a parameter at the end of a route matches further segments, and
// OPTIONS has a default reply.
func exactRoute(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if strings.Count(c.Path(), "/") != strings.Count(c.Request().URL.Path, "/") {
			return echo.ErrNotFound
		}
		if c.Request().Method == http.MethodOptions && c.Get(echo.ContextKeyHeaderAllow) != nil {
			return echo.ErrMethodNotAllowed
		}
		called := callOf(c.Request().Context())
		called.route = called.server.metrics.routes[c.Request().Method+" "+c.Path()]
		return next(c)
	}
}

// handleError replies to echo's routing errors and to errors of its middlewares.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	routing, ok := err.(*echo.HTTPError)
	switch {
	case ok && routing.Code == http.StatusNotFound:
		err = &refusal.Error{Reason: NoRoute, Message: "no such route"}
	case ok && routing.Code == http.StatusMethodNotAllowed:
		if allow, ok := c.Get(echo.ContextKeyHeaderAllow).(string); ok {
			c.Response().Header().Set("Allow", strings.TrimPrefix(allow, "OPTIONS, "))
		}
		err = &refusal.Error{Reason: WrongMethod, Message: "method not allowed"}
	}
	s.fail(c, err)
}

// fail replies to a call without an operation.
func (s *Server) fail(c echo.Context, why error) {
	r := c.Request()
	s.send(c, s.answer(r.Context(), Operation{Method: r.Method, Path: r.URL.Path}, why))
}

// send writes the reply of a failed call, below the prefix of the pages as a page.
func (s *Server) send(c echo.Context, reply huma.StatusError) {
	h := c.Response().Header()
	if refused, ok := reply.(*StatusError); ok {
		maps.Copy(h, refused.headers)
	}
	if s.pages.contains(c.Request().URL.Path) {
		s.pages.Show(c.Response(), c.Request(), reply.GetStatus())
		return
	}
	body := mustEncode(reply)
	h.Set("Content-Type", "application/json")
	c.Response().WriteHeader(reply.GetStatus())
	_, _ = c.Response().Write(body) // a caller that hung up needs no answer
}
