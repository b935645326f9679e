package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// The types of this file read a body leniently, so that the rules of the domain
// judge every field and give every code. The document shows them as what they
// should be.

// notText stands for a value that is not a string. The rules refuse it, and no
// caller can send it: strict JSON has no NUL.
const notText = "\x00"

// text is a member that should be a string. Null is an empty one.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s *string
	if json.Unmarshal(data, &s) != nil {
		*t = notText
	} else if s != nil {
		*t = text(*s)
	}
	return nil
}

func (text) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// texts is a member that should be a list of strings. Null is a missing one.
type texts struct {
	list  []string
	other bool // there was something else
}

func (t *texts) UnmarshalJSON(data []byte) error {
	var list []text
	if json.Unmarshal(data, &list) != nil {
		t.other = true
		return nil
	}
	for _, s := range list {
		t.list = append(t.list, string(s))
	}
	if list != nil && t.list == nil {
		t.list = []string{}
	}
	return nil
}

func (texts) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
}

// object is a member that is taken as it came.
type object json.RawMessage

func (o *object) UnmarshalJSON(data []byte) error {
	*o = slices.Clone(data)
	return nil
}

func (object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// partnerBody is the envelope of the partner door's requests. Only request is
// judged.
type partnerBody[T any] struct {
	ID          text   `json:"id,omitempty" doc:"Ignored"`
	Version     text   `json:"version,omitempty" doc:"Ignored"`
	RequestTime text   `json:"requesttime,omitempty" doc:"Ignored"`
	Metadata    object `json:"metadata,omitempty" doc:"Ignored"`
	Request     *T     `json:"request" doc:"What is asked for."`
}

// providerBody is the envelope of the provider door's requests.
type providerBody[T any] struct {
	RequestTime text `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     *T   `json:"request" doc:"What is asked for."`
}

// retyped says of fields that were of another JSON type that they were, in place
// of what the rules made of the stand-in. request points to the request as it was
// read.
func retyped(err error, request any) error {
	problems, ok := errors.AsType[registrar.Invalid](err)
	if !ok {
		return err
	}
	problems = slices.Clone(problems)
	v := reflect.ValueOf(request).Elem()
	for i := range problems {
		name, index, _ := strings.Cut(problems[i].Field, "[")
		for f := range v.NumField() {
			member, _, _ := strings.Cut(v.Type().Field(f).Tag.Get("json"), ",")
			if member != name {
				continue
			}
			switch value := v.Field(f).Interface().(type) {
			case text:
				if value == notText {
					problems[i].Message = "must be a string"
				}
			case texts:
				if value.other {
					problems[i].Message = "must be a list of strings"
				}
				for n, element := range value.list {
					if element == notText && strings.HasPrefix(index, itoa(n)+"]") {
						problems[i].Message = "must be a string"
					}
				}
			}
		}
	}
	return problems
}

// fit is the outermost middleware. Package web answers a request that does not
// fit the operation with 422 and a list of findings; the doors say it in their own
// way, with 200. At the partner door the first finding is the answer.
func (a *API) fit(ctx huma.Context, next func(huma.Context)) {
	c := &fitting{humaContext: ctx}
	next(c)
	if !c.unfit {
		return
	}
	var found struct {
		Detail []web.Detail `json:"detail"`
	}
	if err := json.Unmarshal(c.body.Bytes(), &found); err != nil || len(found.Detail) == 0 {
		web.WriteError(ctx, errors.Join(errors.New("a 422 without findings"), err))
		return
	}
	var list []problem
	for _, d := range found.Detail {
		list = append(list, problemOf(registrar.Problem{Field: fieldOf(d.Loc), Reason: registrar.InvalidRequest, Message: d.Msg}, ""))
	}
	web.WriteError(ctx, web.Refuse(http.StatusOK, a.body(doorOf(ctx.Operation().Path), list...), nil))
}

// fieldOf spells a location as the rules spell a field. The first step says which
// part of the request it is in; an offset in the body is no field.
func fieldOf(loc []any) string {
	var b strings.Builder
	for i, step := range loc {
		switch step := step.(type) {
		case string:
			if i == 0 && len(loc) > 1 {
				if _, named := loc[1].(string); named {
					continue
				}
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		case float64:
			if i > 1 {
				b.WriteString("[" + itoa(int(step)) + "]")
			}
		}
	}
	return b.String()
}

// fitting holds back a 422.
type fitting struct {
	humaContext
	unfit bool
	body  bytes.Buffer
}

// humaContext has another name than its method Context, so that it can be embedded.
type humaContext = huma.Context

// Unwrap lets huma's adapter find its own context.
func (c *fitting) Unwrap() huma.Context { return c.humaContext }

func (c *fitting) SetStatus(code int) {
	if c.unfit = code == http.StatusUnprocessableEntity; !c.unfit {
		c.humaContext.SetStatus(code)
	}
}

func (c *fitting) BodyWriter() io.Writer {
	if c.unfit {
		return &c.body
	}
	return c.humaContext.BodyWriter()
}
