package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/countersign/countersign/libs/refusal"
)

// base is the address of the schema for the library. Its top-level domain is reserved (RFC 2606) and never
// resolved.
const base = "https://schema.invalid/"

// Invalid is the reason of refusals of schemas and documents. The message begins with the JSON pointer
// to the first problem and contains member names but no value.
const Invalid refusal.Reason = "invalid"

// invalidPart refuses the part of a schema or document at a pointer.
func invalidPart(pointer, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if pointer != "" {
		message = pointer + ": " + message
	}
	return refusal.New(Invalid, "%s", message)
}

// location returns the JSON Pointer in an address of the library.
func location(address string) string {
	_, fragment, _ := strings.Cut(address, "#")
	if pointer, err := url.PathUnescape(fragment); err == nil {
		return pointer
	}
	return fragment
}

// compileError converts an error of the library for a schema.
func compileError(err error) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return validationError(e.Err)
	}
	if e, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return invalidPart(location(e.URL), "pattern %s: %s", quote(e.Regex), e.Err)
	}
	if e, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return remote(e.URL)
	}
	if e, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return invalidPart("", "refers to %s, which does not exist", quote("#"+location(e.URL)))
	}
	if e, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		return invalidPart("", "refers to %s, which does not exist", quote("#"+location(e.Reference)))
	}
	return invalidPart("", "%s", strings.ReplaceAll(err.Error(), base, ""))
}

// remote refuses a reference to another document.
func remote(address string) error {
	address, _, _ = strings.Cut(address, "#")
	return invalidPart("", "refers to %s; %s", quote(strings.TrimPrefix(address, base)), errRemote)
}

// validationError converts an error of the library for a document.
func validationError(err error) error {
	failure, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	problems := appendLeaves(failure, nil)
	// The library walks objects in random order.
	slices.SortFunc(problems, func(a, b refusal.Problem) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Message, b.Message))
	})
	problems = slices.Compact(problems)
	message := problems[0].Message
	if more := len(problems) - 1; more > 0 {
		message += fmt.Sprintf("; %d more", more)
	}
	return invalidPart(problems[0].Where, "%s", message)
}

// appendLeaves appends the problems under failure. The branches of anyOf and oneOf are
// alternatives, so only the choice itself is a problem.
func appendLeaves(failure *jsonschema.ValidationError, to []refusal.Problem) []refusal.Problem {
	switch failure.ErrorKind.(type) {
	case *kind.PropertyNames: // of a name of patternProperties that is no pattern, the reason
		if i := slices.IndexFunc(failure.Causes, isPattern); i >= 0 {
			failure.ErrorKind = failure.Causes[i].ErrorKind
		}
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range failure.Causes {
			to = appendLeaves(cause, to)
		}
		return to
	}
	var pointer jsontext.Pointer
	for _, name := range failure.InstanceLocation {
		pointer = pointer.AppendToken(name)
	}
	return append(to, refusal.Problem{Where: string(pointer), Message: problem(failure.ErrorKind)})
}

// isPattern reports whether the cause is an invalid pattern.
func isPattern(cause *jsonschema.ValidationError) bool {
	k, ok := cause.ErrorKind.(*kind.Format)
	return ok && k.Want == "regex"
}

// problem returns the requirement of the schema. The texts of the library would quote the value.
func problem(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be of type %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return "must be one of the values listed in enum"
	case *kind.Const:
		return "must be the value of const"
	case *kind.Required:
		return "must have the " + members(k.Missing)
	case *kind.DependentRequired:
		return fmt.Sprintf("must have the %s next to %s", members(k.Missing), quote(k.Prop))
	case *kind.AdditionalProperties:
		return "must not have the " + members(k.Properties)
	case *kind.PropertyNames:
		return fmt.Sprintf("must not have a member named %s", quote(k.Property))
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d members", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d members", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not have equal items, as %d and %d are", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "must have an item that satisfies contains"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %d items that satisfy contains", k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %d items that satisfy contains", k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.Pattern:
		return "must match the pattern " + quote(k.Want)
	case *kind.Format:
		if expr, ok := k.Got.(string); ok && k.Want == "regex" { // of the metaschema
			return fmt.Sprintf("pattern %s: %s", quote(expr), k.Err)
		}
		if example := formats[k.Want]; example != "" {
			return "must have the format " + k.Want + ", such as " + example
		}
		return "must have the format " + k.Want // of the metaschema
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.AnyOf:
		return "must satisfy one of anyOf"
	case *kind.OneOf:
		return "must satisfy exactly one of oneOf"
	case *kind.Not:
		return "must not satisfy not"
	case *kind.FalseSchema:
		return "must be absent"
	default:
		return "does not satisfy the schema"
	}
}

// members names at most five members.
func members(names []string) string {
	if len(names) == 1 {
		return "member " + quote(names[0])
	}
	var quoted []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		quoted = append(quoted, quote(name))
	}
	if more := len(quoted) - 5; more > 0 {
		return fmt.Sprintf("members %s and %d more", strings.Join(quoted[:5], ", "), more)
	}
	return "members " + strings.Join(quoted, ", ")
}

// decimal writes a bound of a schema. It is exact, because it came from a decimal
// number.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// quote quotes at most 64 bytes of a name or pattern.
func quote(s string) string {
	if len(s) > 64 {
		s = strings.ToValidUTF8(s[:64], "") + "…"
	}
	return strconv.Quote(s)
}
