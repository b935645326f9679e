package web

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
)

const (
	longTime   = time.Hour        // of a call that may take long
	stalled    = 30 * time.Second // what one write of a stream may take
	streamSize = 64 << 10         // bytes that are written at once
)

// Long lets the call that ctx belongs to, for which Alone has made room, take longer than
// others: an hour. The context it returns has the values of ctx, and ends when the caller
// is gone, or with EndLong.
func Long(ctx context.Context) (context.Context, context.CancelFunc) {
	c := callOf(ctx)
	if !c.alone {
		panic("web: a call takes long without Alone")
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), longTime)
	long, end := context.WithCancelCause(limited)
	hungUp := context.AfterFunc(c.caller, cancel)
	stopping := context.AfterFunc(c.server.longEnd, func() { end(context.Cause(c.server.longEnd)) })
	_ = c.control.SetWriteDeadline(time.Now().Add(longTime)) // the server's own is shorter
	return long, func() { hungUp(); stopping(); end(nil); cancel() }
}

// Stream answers 200 with what write writes, as it comes. It may take as long as Long
// allows and the caller takes something every half minute. An error is logged, and the
// connection is cut, so that the caller does not take a part for the whole.
func Stream(ctx huma.Context, mediaType string, write func(ctx context.Context, w io.Writer) error) {
	long, cancel := Long(ctx.Context())
	defer cancel()
	c := callOf(ctx.Context())
	humaecho.UnwrapV4(ctx).Response().Header().Set("Content-Type", mediaType)
	ctx.SetStatus(http.StatusOK)
	out := bufio.NewWriterSize(impatient{c.control, ctx.BodyWriter()}, streamSize)
	err := write(long, out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		if cause := context.Cause(long); cause != nil {
			err = cause // and what it led to says less
		}
		level := slog.LevelWarn
		if gone(ctx.Context()) {
			level = slog.LevelDebug
		}
		c.server.options.Logger.LogAttrs(long, level, "stream cut", slog.String("error", err.Error()))
		panic(http.ErrAbortHandler)
	}
}

// impatient gives up on a caller who takes nothing.
type impatient struct {
	control *http.ResponseController
	io.Writer
}

func (w impatient) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(stalled))
	return w.Writer.Write(p)
}

// TakesStream documents that an operation, one of Options.Long, takes a body of a media type
// that is longer than others: its handler reads it with Incoming, as it comes. The
// operation's input has no Body.
func TakesStream(mediaType, description, example string, most int64) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{mediaType: {
			Schema: &huma.Schema{Type: huma.TypeString, Description: description}, Example: example,
		}}}
		op.Metadata[streamMember] = most
	}
}

// streamMember of an operation's metadata holds how long its body may be.
const streamMember = "stream"

func takesStream(op *huma.Operation) bool { return op.Metadata[streamMember] != nil }

// checkStream takes a slot for a call whose body is read by its handler.
func (s *Server) checkStream(ctx huma.Context, op *huma.Operation) error {
	c, call := humaecho.UnwrapV4(ctx), callOf(ctx.Context())
	r := c.Request()
	if err := checkMediaType(r.Header, op); err != nil {
		c.Response().Header().Set("Connection", "close") // the rest is not read
		return err
	}
	most := op.Metadata[streamMember].(int64)
	call.incoming = incoming{s, call, c.Response().Writer, http.MaxBytesReader(c.Response().Writer, r.Body, most)}
	return s.occupy(call)
}

// Incoming is the body of the call that ctx belongs to, of an operation that TakesStream. It
// fails with a Refusal when it is too long, or when nothing comes for half a minute.
func Incoming(ctx context.Context) io.Reader { return callOf(ctx).incoming }

// incoming is a body that is read for as long as something comes.
type incoming struct {
	server *Server
	call   *call
	w      http.ResponseWriter
	body   io.Reader
}

func (in incoming) Read(p []byte) (int, error) {
	_ = in.call.control.SetReadDeadline(time.Now().Add(stalled)) // a recorder in a test has none
	n, err := in.body.Read(p)
	if err != nil && err != io.EOF {
		err = in.server.unread(in.w, err)
	}
	return n, err
}
