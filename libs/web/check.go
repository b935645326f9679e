package web

import (
	"bytes"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
)

// check returns the last middleware of an operation. It refuses requests that huma accepts: unknown and
// repeated parameters, other media types, bodies that two readers could read differently. After the body is
// read the call takes a slot.
func (s *Server) check(op *huma.Operation) func(huma.Context, func(huma.Context)) {
	var query, header []*huma.Param
	for _, p := range op.Parameters {
		switch p.In {
		case "query":
			query = append(query, p)
		case "header":
			header = append(header, p)
		}
	}
	// A probe or a public key set does not depend on the caller or the query.
	public := op.Method == http.MethodGet && len(op.Security)+len(query) == 0
	return func(ctx huma.Context, next func(huma.Context)) {
		r := humaecho.UnwrapV4(ctx).Request()
		details := checkHeader(r.Header, header)
		if !public {
			details = append(checkQuery(r.URL.RawQuery, query), details...)
		}
		if len(details) > 0 {
			WriteError(ctx, Unprocessable(details...))
			return
		}
		var err error
		switch {
		case takesStream(op):
			err = s.checkStream(ctx, op)
		case op.RequestBody != nil:
			err = s.checkBody(ctx, op)
		case op.Method == http.MethodPost && !s.options.OpenUnknownMembers && r.Body != nil:
			err = s.checkNoBody(ctx)
		default:
			err = s.occupy(callOf(ctx.Context()))
		}
		if err != nil {
			WriteError(ctx, err)
			return
		}
		next(ctx)
	}
}

// checkQuery finds unknown names, repeated single values and empty values, in the order of the query. huma
// treats an empty value as absent. A Family matches every name with its prefix; the operation reads these
// with a huma.Resolver, and may accept an empty value.
func checkQuery(raw string, params []*huma.Param) (details []Detail) {
	seen := make(map[string]bool)
	known := make([]string, len(params))
	for i, p := range params {
		known[i] = p.Name
		if prefix := prefixOf(p); prefix != "" {
			known[i] = prefix + "*"
		}
	}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		value, bad := url.QueryUnescape(value)
		if err != nil || bad != nil || strings.Contains(pair, ";") {
			details = append(details, Detail{"value_error", []any{"query"}, "Query string is malformed"})
			continue
		}
		i := slices.IndexFunc(params, func(p *huma.Param) bool {
			if prefix := prefixOf(p); prefix != "" {
				return strings.HasPrefix(name, prefix)
			}
			return p.Name == name || p.Style == "deepObject" && strings.HasPrefix(name, p.Name+"[")
		})
		switch {
		case i < 0:
			details = append(details, unknownName([]any{"query", name}, known))
		case seen[name] && (prefixOf(params[i]) != "" || !isExploded(params[i])):
			details = append(details, Detail{"value_error", []any{"query", name}, "Parameter should be given once"})
		case prefixOf(params[i]) == "" && slices.Contains(elements(params[i], value), ""):
			details = append(details, Detail{"string_too_short", []any{"query", name}, "Parameter should not be empty"})
		}
		seen[name] = true
	}
	return details
}

// prefixMember of a parameter holds the prefix of a Family.
const prefixMember = "x-prefix"

// Family documents query parameters whose names begin with prefix: generated clients send the members of an
// object as one parameter each.
func Family(name, prefix, description string) *huma.Param {
	return &huma.Param{
		Name: name, In: "query", Description: description, Style: "form", Explode: new(true),
		Schema: &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString},
			Extensions: map[string]any{"propertyNames": map[string]any{"pattern": "^" + regexp.QuoteMeta(prefix)}},
		},
		Extensions: map[string]any{prefixMember: prefix},
	}
}

// prefixOf returns the prefix of a Family; empty for any other parameter.
func prefixOf(p *huma.Param) string {
	prefix, _ := p.Extensions[prefixMember].(string)
	return prefix
}

// isExploded reports whether a list is several parameters of one name instead of one with commas.
func isExploded(p *huma.Param) bool { return p.Explode != nil && *p.Explode }

// elements returns the values of a parameter. An array that does not explode is split at commas.
func elements(p *huma.Param, value string) []string {
	if p.Schema != nil && p.Schema.Type == huma.TypeArray && !isExploded(p) {
		return strings.Split(value, ",")
	}
	return []string{value}
}

// checkHeader finds declared headers that are repeated or empty. huma reads the first of several and treats
// an empty one as absent, which is harmless for If-None-Match only.
func checkHeader(h http.Header, params []*huma.Param) (details []Detail) {
	for _, p := range params {
		switch values := h.Values(p.Name); {
		case p.Name == "If-None-Match":
		case len(values) > 1:
			details = append(details, Detail{"value_error", []any{"header", p.Name}, "Header should be given once"})
		case len(values) == 1 && values[0] == "":
			details = append(details, Detail{"string_too_short", []any{"header", p.Name}, "Header should not be empty"})
		}
	}
	return details
}

// checkBody reads the body, takes a slot, and passes huma a copy in memory. An absent body needs no media
// type.
func (s *Server) checkBody(ctx huma.Context, op *huma.Operation) error {
	c, call := humaecho.UnwrapV4(ctx), callOf(ctx.Context())
	r := c.Request()
	body, err := s.readBody(call, c.Response().Writer, r)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		r.Body = http.NoBody
		if op.RequestBody.Required {
			return Unprocessable(Detail{"missing", []any{"body"}, "Field required"})
		}
		return s.occupy(call)
	}
	if err := checkMediaType(r.Header, op); err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json") // the type that huma decodes
	values, err := strictjson.Scan(body, strictjson.Default)
	if err != nil {
		return Unprocessable(scanDetail(err.(*strictjson.Error)))
	}
	if err := s.charge(call, copies*int64(len(body))+valueCost*int64(values)); err != nil {
		return err
	}
	if err := s.occupy(call); err != nil {
		return err
	}
	call.body, call.schema = body, bodySchema(op)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.startDecoding(ctx.Context(), call)
}

// noMembers is the schema of the body of an operation without one.
var noMembers = func() *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false}
	s.PrecomputeMessages()
	return s
}()

// checkNoBody refuses the members of a body of an operation without one. An empty object equals no body.
func (s *Server) checkNoBody(ctx huma.Context) error {
	c, call := humaecho.UnwrapV4(ctx), callOf(ctx.Context())
	body, err := s.readBody(call, c.Response().Writer, c.Request())
	if err != nil {
		return err
	}
	if len(body) > 0 {
		if _, err := strictjson.Scan(body, strictjson.Default); err != nil {
			return Unprocessable(scanDetail(err.(*strictjson.Error)))
		}
		call.body = body
		if found := s.findings(noMembers, body); len(found) > 0 {
			return call.newUnprocessable(ctx.Operation(), found)
		}
	}
	return s.occupy(call)
}

// scanDetail converts an error of the JSON scan to a Detail.
func scanDetail(e *strictjson.Error) Detail {
	loc := append([]any{"body"}, e.Path...)
	if e.Kind == strictjson.Duplicate {
		return Detail{string(e.Kind), loc, "Member is given twice"}
	}
	return Detail{string(e.Kind), []any{"body", e.Offset}, "JSON is not valid: " + e.Reason}
}

// checkMediaType refuses a body of a media type that the operation does not accept.
func checkMediaType(h http.Header, op *huma.Operation) error {
	if isPlain(h, op.RequestBody.Content) {
		return nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(op.RequestBody.Content)), " or ")
	return &refusal.Error{Reason: WrongMediaType, Message: "the media type must be " + known + " in UTF-8, without content coding"}
}

// isPlain reports whether the headers announce plain text in UTF-8, once, as one of the
// media types of the operation.
func isPlain(h http.Header, known map[string]*huma.MediaType) bool {
	types := h.Values("Content-Type")
	if len(types) != 1 || len(h.Values("Content-Encoding")) > 0 {
		return false
	}
	media, params, err := mime.ParseMediaType(types[0])
	if err != nil || known[media] == nil {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}
