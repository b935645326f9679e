package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/nearest"
)

// variables reads settings from the environment instead of kong, which stops at the first invalid setting,
// names its flag and prints its value. A setting can be read from the file in its variable with the suffix
// _FILE, so that secrets are not in the environment.
//
// An invalid variable becomes a problem and is replaced by the default, so that the other settings are
// checked too.
type variables struct {
	problems []error
	exposed  []string // variables whose file is readable by every user of the machine
}

// Validate returns the problems to callers of kong without Parse.
func (v *variables) Validate(*kong.Application) error { return problemList(v.problems).err() }

// mergeErrors returns the problems together with those in an error of kong. kong joins the problems of a
// command into one sentence.
func (v *variables) mergeErrors(err error) error {
	list := slices.Clone(v.problems)
	if found, ok := errors.AsType[problemList](err); ok {
		for _, problem := range found {
			if !slices.ContainsFunc(list, func(other error) bool { return other.Error() == problem.Error() }) {
				list = append(list, problem)
			}
		}
	} else if err != nil {
		return err // of the command line
	}
	return problemList(list).err()
}

// Resolve returns the value of a flag, or nil.
func (v *variables) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		value, set, err := v.lookup(name)
		if err == nil && set {
			err = checkText(flag, value)
		}
		switch {
		case err != nil:
			v.problems = append(v.problems, fmt.Errorf("%s: %w", name, err))
			return fallback(flag), nil
		case set:
			return value, nil
		}
	}
	return nil, nil
}

// lookup returns the value of a variable, or of the file that it names.
func (v *variables) lookup(name string) (value string, set bool, err error) {
	value, set = os.LookupEnv(name)
	path, file := os.LookupEnv(name + "_FILE")
	switch {
	case set && file && value != "":
		return "", false, fmt.Errorf("set it or %s_FILE, not both", name)
	case file:
		content, err := os.ReadFile(path) // #nosec G304 G703 -- the operator names the file
		if err != nil {
			return "", false, fmt.Errorf("%s_FILE: %w", name, err)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return "", false, fmt.Errorf("%s_FILE: %w", name, err)
		case readOnlyMount(path): // secrets of Kubernetes and Compose
		case info.Mode()&0o022 != 0:
			return "", false, fmt.Errorf("%s_FILE: the file is writable by its group or by others; chmod 600", name)
		case info.Mode()&0o004 != 0 && !slices.Contains(v.exposed, name+"_FILE"):
			v.exposed = append(v.exposed, name+"_FILE")
		}
		return strings.TrimSpace(string(content)), true, nil
	default:
		return value, set, nil
	}
}

// readOnlyMount reports whether a file is on a read-only file system.
func readOnlyMount(path string) bool {
	const readOnly = 1 // ST_RDONLY of Linux, MNT_RDONLY of macOS
	var mount syscall.Statfs_t
	return syscall.Statfs(path, &mount) == nil && mount.Flags&readOnly != 0
}

// checkText returns the error of a flag's text. It does not quote the text, which could be a secret in the
// wrong variable.
func checkText(flag *kong.Flag, text string) error {
	target := reflect.New(flag.Target.Type()).Elem()
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
	}
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan(text)}, target); err == nil {
		return nil
	}
	return errors.New("must be " + describeType(flag.Target.Type()))
}

func scan(text string) *kong.Scanner {
	return kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text})
}

// describeType describes the syntax of the values of a type.
func describeType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "a duration, such as 30s, 5m or 168h"
	case reflect.TypeFor[slog.Level]():
		return "debug, info, warn or error"
	case reflect.TypeFor[Retention]():
		return "days such as 90d, at least 1h, or forever"
	case reflect.TypeFor[limit.Rate]():
		return "CALLS/UNIT:BURST, such as 50/s:100 (units are s, m and h), or 0 for no limit"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Pointer:
		return describeType(t.Elem())
	case reflect.Slice:
		return "a list separated by commas, of which each is " + describeType(t.Elem())
	case reflect.Map:
		return "NAME=VALUE, several separated by semicolons"
	case reflect.Uint16:
		return "a number from 0 to 65535"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	default:
		return "a " + t.Kind().String()
	}
}

// fallback returns a valid text for kong in place of an invalid one.
func fallback(flag *kong.Flag) any {
	switch flag.Target.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return flag.Default
	case reflect.Bool:
		return cmp.Or(flag.Default, "false")
	default:
		return cmp.Or(flag.Default, "0")
	}
}

// unknownVariables returns the environment variables with the program's prefix that are not settings of any
// command, each with a suggestion, if there is one: the setting with almost the same name, else those that begin
// with the same words. It omits the variables that Kubernetes sets for a service of the same name.
func (p Program) unknownVariables(model *kong.Application, environ []string) (found [][2]string) {
	known := []string{p.Prefix + tokenVariable}
	_ = kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			for _, name := range flag.Envs {
				known = append(known, name, name+"_FILE")
			}
		}
		return next(nil)
	})
	slices.Sort(known)
	known = slices.Compact(known) // several commands have the same settings
	link := regexp.MustCompile("^" + p.Prefix + `(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.*)?)?)$`)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, p.Prefix) || slices.Contains(known, name) || link.MatchString(name) {
			continue
		}
		meant := nearest.Match(name, known)
		if words := name[:max(strings.LastIndex(name, "_"), 0)]; meant == "" && len(words) > len(p.Prefix) {
			meant = strings.Join(slices.DeleteFunc(slices.Clone(known), func(setting string) bool {
				return !strings.HasPrefix(setting, words) || strings.HasSuffix(setting, "_FILE")
			}), ", ")
		}
		found = append(found, [2]string{name, meant})
	}
	slices.SortFunc(found, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return found
}

// tokenVariable is the suffix of the variable of ExampleCall.
const tokenVariable = "TOKEN"
