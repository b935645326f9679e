package daemon

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// formatValue returns a setting as text, without secrets.
func formatValue(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case Secret:
		if value == "" {
			return ""
		}
		return redacted
	case time.Duration:
		return formatDuration(value)
	case string:
		return withoutPassword(value)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return formatValue(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, formatValue(v.Index(i)))
		}
		return strings.Join(parts, ",")
	case reflect.Map:
		parts := map[string]string{}
		for _, key := range v.MapKeys() {
			parts[key.String()] = formatValue(v.MapIndex(key))
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

// withoutPassword hides the password of a URL, and text that could be a password.
func withoutPassword(text string) string {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return text
	}
	if u, err := url.Parse(text); err == nil {
		return u.Redacted()
	}
	return redacted
}

// formatDuration omits zero units: 5m, not 5m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
