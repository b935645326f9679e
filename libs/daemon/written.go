package daemon

import (
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// written is a setting as people write it, and without secrets.
func written(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case Secret:
		if value == "" {
			return ""
		}
		return redacted
	case time.Duration:
		return shortest(value)
	case slog.Level:
		return strings.ToLower(value.String())
	case string:
		return withoutPassword(value)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return written(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, written(v.Index(i)))
		}
		return strings.Join(parts, ",")
	case reflect.Map:
		parts := map[string]string{}
		for _, key := range v.MapKeys() {
			parts[key.String()] = written(v.MapIndex(key))
		}
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			lines = append(lines, name+"="+parts[name])
		}
		return strings.Join(lines, ";")
	default:
		return fmt.Sprint(v.Interface())
	}
}

// withoutPassword hides the password of a URL, and what could be one.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return text
	}
	if u, err := url.Parse(text); err == nil {
		return u.Redacted()
	}
	return redacted
}

// shortest is 5m for 5m0s.
func shortest(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
