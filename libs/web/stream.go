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
	longTime   = time.Hour        // time limit of a long call
	stalled    = 30 * time.Second // time limit of one write
	streamSize = 64 << 10         // bytes per write
)

// ExtendDeadline extends the time limit of the call of ctx, a call of Alone, to an hour. The returned context has the
// values of ctx and ends when the caller disconnects, or with EndLong.
func ExtendDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
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

// Stream replies 200 with the output of write, within the limits of Long and of 30 s per write. An error is
// logged and closes the connection, so that the caller detects the incomplete reply.
func Stream(ctx huma.Context, mediaType string, write func(ctx context.Context, w io.Writer) error) {
	long, cancel := ExtendDeadline(ctx.Context())
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
			err = cause // the first cause
		}
		level := slog.LevelWarn
		if hasDisconnected(ctx.Context()) {
			level = slog.LevelDebug
		}
		c.server.options.Logger.LogAttrs(long, level, "stream cut", slog.String("error", err.Error()))
		panic(http.ErrAbortHandler)
	}
}

// impatient limits the time of each write to the caller.
type impatient struct {
	control *http.ResponseController
	io.Writer
}

func (w impatient) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(stalled))
	return w.Writer.Write(p)
}

// TakesStream documents an operation of Options.Long with a longer body, which its handler reads by
// Incoming. The input of the operation has no Body.
func TakesStream(mediaType, description, example string, most int64) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{mediaType: {
			Schema: &huma.Schema{Type: huma.TypeString, Description: description}, Example: example,
		}}}
		op.Metadata[streamMember] = most
	}
}

// streamMember of an operation's metadata holds the maximum size of its body.
const streamMember = "stream"

func takesStream(op *huma.Operation) bool { return op.Metadata[streamMember] != nil }

// checkStream takes a slot for a call whose handler reads the body.
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

// RequestBody returns the body of the call of ctx, an operation of TakesStream. A read fails with a refusal if
// the body is too long, or after 30 s without data.
func RequestBody(ctx context.Context) io.Reader { return callOf(ctx).incoming }

// incoming is the body of a stream.
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
		err = in.server.refuseUnread(in.w, err)
	}
	return n, err
}
