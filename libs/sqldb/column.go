package sqldb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gorm.io/gorm/schema"
)

// Serializers of gorm tags:
//
//	serializer:millis      a time.Time as Millis, in a BIGINT
//	serializer:jsontext    any value as EncodeJSON, in a text column; empty:[] and empty:{}
//	                       set the text of the zero value
func init() {
	schema.RegisterSerializer("millis", millis{})
	schema.RegisterSerializer("jsontext", jsonText{})
}

// Millis returns the stored form of a time: Unix milliseconds, 0 for the zero time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the inverse of Millis.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

type millis struct{}

func (millis) Value(_ context.Context, _ *schema.Field, _ reflect.Value, v any) (any, error) {
	return Millis(v.(time.Time)), nil
}

func (millis) Scan(ctx context.Context, field *schema.Field, row reflect.Value, stored any) error {
	ms, ok := stored.(int64)
	if !ok && stored != nil { // an outer join yields NULL
		return fmt.Errorf("column %s: want milliseconds, not %T", field.DBName, stored)
	}
	field.ReflectValueOf(ctx, row).Set(reflect.ValueOf(Time(ms)))
	return nil
}

// EncodeJSON returns the stored form of a value in a text column. The zero value is the empty text.
func EncodeJSON(v any) (string, error) {
	if value := reflect.ValueOf(v); !value.IsValid() || value.IsZero() {
		return "", nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return strings.TrimSuffix(buf.String(), "\n"), nil
}

// DecodeJSON is the inverse of EncodeJSON.
func DecodeJSON(text string, into any) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

type jsonText struct{}

func (jsonText) Value(_ context.Context, field *schema.Field, _ reflect.Value, v any) (any, error) {
	text, err := EncodeJSON(v)
	if text == "" {
		text = field.TagSettings["EMPTY"]
	}
	return text, err
}

func (jsonText) Scan(ctx context.Context, field *schema.Field, row reflect.Value, stored any) error {
	var text string
	switch stored := stored.(type) {
	case nil: // of an outer join
	case string:
		text = stored
	case []byte: // PostgreSQL's jsonb
		text = string(stored)
	default:
		return fmt.Errorf("column %s: want JSON text, not %T", field.DBName, stored)
	}
	value := reflect.New(field.FieldType)
	err := DecodeJSON(text, value.Interface())
	field.ReflectValueOf(ctx, row).Set(value.Elem())
	return err
}

// CleanText converts external bytes for a text column: valid UTF-8 without NUL.
func CleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
