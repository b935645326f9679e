package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/seal"
)

const place = "endpoint|42|secret"

// newKey returns a key of the bytes from first on, one more each.
func newKey(first byte, size int) string {
	secret := make([]byte, size)
	for i := range secret {
		secret[i] = first + byte(i)
	}
	return base64.StdEncoding.EncodeToString(secret)
}

func parse(t testing.TB, text string) seal.Keys {
	t.Helper()
	k, err := seal.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func mustSeal(t testing.TB, k seal.Keys, secret string) string {
	t.Helper()
	text, err := k.Seal([]byte(secret), place)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSealRoundTrip(t *testing.T) {
	k := parse(t, "k1:"+seal.NewKey())
	for _, secret := range []string{"", "x", "open sesame", "\x00\xff", strings.Repeat("long", 10_000)} {
		text := mustSeal(t, k, secret)
		got, err := k.Open(text, place)
		if err != nil || string(got) != secret {
			t.Errorf("Open(Seal(%.20q)) = %.20q, %v", secret, got, err)
		}
		if rest, ok := strings.CutPrefix(text, "k1:"); !ok || len(rest) != base64.RawURLEncoding.EncodedLen(28+len(secret)) {
			t.Errorf("Seal(%.20q) = %.60q, of %d characters", secret, text, len(text))
		}
	}
}

// The text was made with Python's cryptography package.
func TestTextsOfOtherVersionsOpen(t *testing.T) {
	k := parse(t, "k1:"+newKey(0, 32))
	got, err := k.Open("k1:ZGVmZ2hpamtsbW5vJ2u7CFmaM-1fDzr2IHTsSy2aka3J8jNpwtZ-", place)
	if err != nil || string(got) != "open sesame" {
		t.Errorf("Open = %q, %v", got, err)
	}
}

func TestNoTextOpensInAnotherPlace(t *testing.T) {
	k := parse(t, "k1:"+seal.NewKey())
	text := mustSeal(t, k, "open sesame")
	for _, other := range []string{"", "endpoint|43|secret", "endpoint|42|secret ", "endpoint|42|secre", "k1:" + place} {
		if got, err := k.Open(text, other); !errors.Is(err, seal.ErrDamaged) || got != nil {
			t.Errorf("Open at %q = %q, %v, want ErrDamaged", other, got, err)
		}
	}
}

func TestNoTextOpensAfterAChange(t *testing.T) {
	// One bit makes k0 of k1. 15 bytes of secret leave bits over in the last character.
	k := parse(t, "k1:"+seal.NewKey()+",k0:"+seal.NewKey())
	text := mustSeal(t, k, "fifteen letters")
	refused := func(changed, how string) {
		t.Helper()
		got, err := k.Open(changed, place)
		if got != nil || !errors.Is(err, seal.ErrDamaged) && !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("%s: Open(%q) = %q, %v", how, changed, got, err)
		}
	}
	for i := range text {
		for bit := range 8 {
			changed := []byte(text)
			changed[i] ^= 1 << bit
			refused(string(changed), fmt.Sprintf("bit %d at %d", bit, i))
		}
		refused(text[:i], "cut")
		refused(text[:i]+text[i+1:], "one less")
		refused(text[:i]+"\n"+text[i:], "a line break")
	}
	refused(text+"\n", "a line break at the end")
	refused(text+"=", "padding")
	refused(text+"AAAA", "more")

	box, err := base64.RawURLEncoding.DecodeString(text[len("k1:"):])
	if err != nil {
		t.Fatal(err)
	}
	for i := range box {
		changed := bytes.Clone(box)
		changed[i] ^= 1
		refused("k1:"+base64.RawURLEncoding.EncodeToString(changed), fmt.Sprintf("byte %d", i))
	}
}

func TestAnIDCannotBeChangedEvenToOneOfTheSameKey(t *testing.T) {
	secret := seal.NewKey()
	text := mustSeal(t, parse(t, "k1:"+secret), "open sesame")
	if got, err := parse(t, "k2:"+secret).Open("k2"+text[len("k1"):], place); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("Open = %q, %v, want ErrDamaged", got, err)
	}
}

func TestAnOldKeyOpensAndTheFirstSeals(t *testing.T) {
	first, second := "k1:"+seal.NewKey(), "k2:"+seal.NewKey()
	before, during, after := parse(t, first), parse(t, second+","+first), parse(t, second)
	old := mustSeal(t, before, "open sesame")
	if got, err := during.Open(old, place); err != nil || string(got) != "open sesame" {
		t.Errorf("Open with the old key = %q, %v", got, err)
	}
	if !before.IsCurrent(old) || during.IsCurrent(old) {
		t.Errorf("Current = %t before and %t during the change of keys", before.IsCurrent(old), during.IsCurrent(old))
	}
	renewed := mustSeal(t, during, "open sesame")
	if !during.IsCurrent(renewed) || !strings.HasPrefix(renewed, "k2:") {
		t.Errorf("Seal during the change of keys = %q", renewed)
	}
	if got, err := after.Open(renewed, place); err != nil || string(got) != "open sesame" {
		t.Errorf("Open after the change of keys = %q, %v", got, err)
	}
	if got, err := after.Open(old, place); !errors.Is(err, seal.ErrUnknownKey) || !strings.HasSuffix(err.Error(), ": k1") {
		t.Errorf("Open without the old key = %q, %v, want ErrUnknownKey with k1", got, err)
	}
}

func TestAnIDThatBeginsLikeTheFirstIsNotCurrent(t *testing.T) {
	k := parse(t, "k1:"+seal.NewKey())
	for _, text := range []string{"", "k1", "k", "k11:AAAA", "k10", ":k1:"} {
		if k.IsCurrent(text) {
			t.Errorf("Current(%q)", text)
		}
	}
}

func TestSealUsesAFreshNonceForTheSameSecret(t *testing.T) {
	k := parse(t, "k1:"+seal.NewKey())
	seen := map[string]bool{}
	for range 1000 {
		nonce := mustSeal(t, k, "open sesame")[:len("k1:")+16] // 16 characters are 96 bits
		if seen[nonce] {
			t.Fatalf("nonce %q twice", nonce)
		}
		seen[nonce] = true
	}
}

func TestWithoutKeysNothingIsSealedOrOpened(t *testing.T) {
	var none seal.Keys
	if !none.IsEmpty() || parse(t, "k1:"+seal.NewKey()).IsEmpty() {
		t.Error("Empty is wrong")
	}
	if text, err := none.Seal([]byte("open sesame"), place); !errors.Is(err, seal.ErrNoKey) || text != "" {
		t.Errorf("Seal = %q, %v, want ErrNoKey", text, err)
	}
	text := mustSeal(t, parse(t, "k1:"+seal.NewKey()), "open sesame")
	if _, err := none.Open(text, place); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("Open = %v, want ErrUnknownKey", err)
	}
	if none.IsCurrent(text) || none.IsCurrent("") || none.IsCurrent(":") {
		t.Error("a text is current")
	}
}

func TestTextsThatWereNeverSealedAreDamagedAndNotShown(t *testing.T) {
	k := parse(t, "k1:"+seal.NewKey())
	box := strings.Repeat("A", 38) // 28 bytes
	for name, text := range map[string]string{
		"nothing":             "",
		"a colon":             ":",
		"an id":               "k1",
		"an id and a colon":   "k1:",
		"one byte too few":    "k1:" + box[1:],
		"zeros":               "k1:" + box,
		"no id":               ":" + box,
		"no colon":            box,
		"an id in capitals":   "K1:" + box,
		"an id of 33":         strings.Repeat("k", 33) + ":" + box,
		"standard base64":     "k1:" + box[2:] + "+/",
		"padding":             "k1:" + box + "==",
		"left-over bits":      "k1:" + box[1:] + "B",
		"a break in the id":   "k1\n:" + box,
		"a secret":            "hunter2",
		"a secret in two":     "hunter2:password",
		"a secret, encodable": "hunter2:hunter2hunter2hunter2hunter2hunter2",
	} {
		got, err := k.Open(text, place)
		if !errors.Is(err, seal.ErrDamaged) || got != nil {
			t.Errorf("%s: Open = %q, %v, want ErrDamaged", name, got, err)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows it: %v", name, err)
		}
	}
	if _, err := k.Open("k2:"+box, place); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("Open(the shortest of another key) = %v, want ErrUnknownKey", err)
	}
}

// bad lists invalid texts with the error of Parse.
var bad = map[string]struct{ text, want string }{
	"nothing":                  {"", seal.ErrNoKey.Error()},
	"a comma":                  {",", "key 1: does not begin with an id"},
	"a comma at the end":       {"k1:" + newKey(0, 32) + ",", "key 2: does not begin with an id"},
	"a key without an id":      {newKey(0, 32), "key 1: does not begin with an id"},
	"an empty id":              {":" + newKey(0, 32), "key 1: does not begin with an id"},
	"key and id swapped":       {newKey(0, 32) + ":k1", "key 1: does not begin with an id"},
	"short key and id swapped": {"00112233445566778899aabbccddeeff:k1", "key 1: is not in standard base64"},
	"capitals in an id":        {"K1:" + newKey(0, 32), "key 1: does not begin with an id"},
	"a hyphen first":           {"-k:" + newKey(0, 32), "key 1: does not begin with an id"},
	"an id of 33":              {strings.Repeat("k", 33) + ":" + newKey(0, 32), "key 1: does not begin with an id"},
	"a blank":                  {"k2:" + newKey(1, 32) + ", k1:" + newKey(0, 32), "key 2: does not begin with an id"},
	"an id alone":              {"k1", "key 1: does not begin with an id"},
	"no key":                   {"k1:", "key 1: has 0 bytes, and must have 32"},
	"16 bytes":                 {"k1:" + newKey(0, 16), "key 1: has 16 bytes, and must have 32"},
	"31 bytes":                 {"k1:" + newKey(0, 31), "key 1: has 31 bytes, and must have 32"},
	"33 bytes":                 {"k2:" + newKey(1, 32) + ",k1:" + newKey(0, 33), "key 2: has 33 bytes, and must have 32"},
	"64 bytes":                 {"k1:" + newKey(0, 64), "key 1: has 64 bytes, and must have 32"},
	"no padding":               {"k1:" + strings.TrimRight(newKey(0, 32), "="), "key 1: is not in standard base64"},
	"base64url":                {"k1:" + strings.Repeat("-_A0", 10) + "-_A=", "key 1: is not in standard base64"},
	"hexadecimal":              {"k1:" + strings.Repeat("0123456789abcdef", 4), "key 1: has 48 bytes, and must have 32"},
	"a line break":             {"k1:" + newKey(0, 32) + "\n", "key 1: is not in standard base64"},
	"left-over bits":           {"k1:" + strings.Replace(newKey(0, 32), "8=", "9=", 1), "key 1: is not in standard base64"},
	"two colons":               {"k1:k1:" + newKey(0, 32), "key 1: is not in standard base64"},
	"zeros":                    {"k1:" + base64.StdEncoding.EncodeToString(make([]byte, 32)), "key 1: is the same byte over and over"},
	"ones":                     {"k1:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{255}, 32)), "key 1: is the same byte over and over"},
	"an id twice":              {"k2:" + newKey(1, 32) + ",k1:" + newKey(0, 32) + ",k2:" + newKey(2, 32), "key 3: has the id of key 1"},
	"a key twice":              {"k2:" + newKey(1, 32) + ",k1:" + newKey(0, 32) + ",k3:" + newKey(0, 32), "key 3: is key 2 under another id"},
	"eleven":                   {many(11), "11 keys are more than 10"},
}

// many are n keys that differ.
func many(n byte) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("k%d:%s", i, newKey(i, 32)))
	}
	return strings.Join(keys, ",")
}

func TestBadKeysAreRefusedAndNotRepeated(t *testing.T) {
	for name, row := range bad {
		t.Run(name, func(t *testing.T) {
			k, err := seal.Parse(row.text)
			if err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Fatalf("Parse = %v, want %q", err, row.want)
			}
			if !k.IsEmpty() {
				t.Error("there are keys beside the error")
			}
			for piece := range slices.Chunk([]byte(row.text), 8) {
				if len(piece) == 8 && strings.Contains(err.Error(), string(piece)) {
					t.Errorf("the error repeats the text: %v", err)
				}
			}
		})
	}
}

func TestGoodKeysAreTaken(t *testing.T) {
	for name, text := range map[string]string{
		"one":           "k1:" + newKey(0, 32),
		"ten":           many(10),
		"a long id":     strings.Repeat("k", 32) + ":" + newKey(0, 32),
		"a short id":    "7:" + newKey(0, 32),
		"hyphens":       "2026-07-:" + newKey(0, 32),
		"one byte odd":  "k1:" + base64.StdEncoding.EncodeToString(append(make([]byte, 31), 1)),
		"similar ids":   "k1:" + newKey(0, 32) + ",k11:" + newKey(1, 32),
		"made by us":    "k1:" + seal.NewKey() + ",k2:" + seal.NewKey(),
		"plus or slash": "k1:" + strings.Repeat("+/A0", 10) + "+/A=",
	} {
		if _, err := seal.Parse(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysAreNeverPrinted(t *testing.T) {
	secret := []byte("0123456789abcdefghijklmnopqrstuv")
	k := parse(t, "k1:"+base64.StdEncoding.EncodeToString(secret))
	type exported struct{ Keys seal.Keys }
	type hidden struct{ keys seal.Keys }
	values := map[string]any{
		"keys": k, "pointer": &k, "list": []seal.Keys{k}, "exported field": exported{k}, "hidden field": hidden{k}, "pointer to a hidden field": &hidden{k},
	}
	var printed []string
	for name, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			printed = append(printed, name+" "+verb+" "+fmt.Sprintf(verb, value))
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		printed = append(printed, name+" JSON "+string(encoded))
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
		printed = append(printed, name+" slog "+log.String())
	}
	// The cipher keeps the key as text, bytes, or words of either order.
	leaks := []string{
		"01234567", "3031323334353637", "30 31 32 33", "48 49 50 51", "0x30, 0x31", "48, 49",
		"808530483", "858927408", "30313233", "33323130",
	}
	for _, text := range printed {
		for _, leak := range leaks {
			if strings.Contains(strings.ToLower(text), leak) {
				t.Errorf("%q is in %s", leak, text)
			}
		}
	}
	if got := fmt.Sprintf("%v %+v %#v", k, k, k); got != "[redacted] [redacted] [redacted]" {
		t.Errorf("printed as %s", got)
	}
}

// FuzzOpen searches a text that opens without having been sealed.
func FuzzOpen(f *testing.F) {
	k := parse(f, "k2:"+newKey(1, 32)+",k1:"+newKey(0, 32))
	const known = "k1:ZGVmZ2hpamtsbW5vJ2u7CFmaM-1fDzr2IHTsSy2aka3J8jNpwtZ-"
	for _, text := range []string{known, known + "\n", "k2" + known[2:], "k3" + known[2:], "", ":", "k1:", "k1:AAAA", known[3:]} {
		f.Add(text, place)
	}
	f.Add(known, "endpoint|43|secret")
	f.Fuzz(func(t *testing.T, text, at string) {
		secret, err := k.Open(text, at)
		if genuine := text == known && at == place; genuine != (err == nil) {
			t.Fatalf("Open(%q, %q) = %q, %v", text, at, secret, err)
		}
		if err != nil && !errors.Is(err, seal.ErrDamaged) && !errors.Is(err, seal.ErrUnknownKey) {
			t.Fatalf("Open(%q, %q) error = %v", text, at, err)
		}
		_ = k.IsCurrent(text)
	})
}

// FuzzParse checks that keys work when they are taken, and are none otherwise.
func FuzzParse(f *testing.F) {
	for _, row := range bad {
		f.Add(row.text)
	}
	f.Add(many(10))
	f.Fuzz(func(t *testing.T, text string) {
		k, err := seal.Parse(text)
		if k.IsEmpty() != (err != nil) {
			t.Fatalf("Parse(%q) = %v, and Empty is %t", text, err, k.IsEmpty())
		}
		if err != nil {
			return
		}
		box := mustSeal(t, k, "open sesame")
		if got, err := k.Open(box, place); err != nil || string(got) != "open sesame" || !k.IsCurrent(box) {
			t.Fatalf("with %q, Open = %q, %v", text, got, err)
		}
	})
}
