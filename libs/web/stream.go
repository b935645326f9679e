package web

import (
	"bufio"
	"context"
	"io"
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

// Long lets the call that ctx belongs to take longer than others: an hour. The context
// it returns has the values of ctx, and ends when the caller is gone.
func Long(ctx context.Context) (context.Context, context.CancelFunc) {
	long, cancel := context.WithTimeout(context.WithoutCancel(ctx), longTime)
	c := callOf(ctx)
	stop := context.AfterFunc(c.caller, cancel)
	_ = c.control.SetWriteDeadline(time.Now().Add(longTime)) // the server's own is shorter
	return long, func() { stop(); cancel() }
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
		c.server.options.Logger.WarnContext(long, "stream cut", "request_id", c.id, "error", err.Error())
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
