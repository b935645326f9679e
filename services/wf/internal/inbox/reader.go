package inbox

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// reader holds the display settings of a page request.
type reader struct{ i18n.Reader }

// Cookies with display settings. They do not identify the user.
const (
	languageCookie = "wf_language"
	zoneCookie     = "wf_zone" // also set by the script from the browser's zone
)

var matcher = language.NewMatcher([]language.Tag{language.English, language.French})

// readerOf returns the display settings of a request, from its cookies or its headers.
func readerOf(r *http.Request) reader {
	out := reader{Reader: words.Reader(words.Languages[0], time.UTC)}
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // empty if invalid
	if chosen, err := r.Cookie(languageCookie); err == nil && slices.Contains(words.Languages, chosen.Value) {
		out.Language = chosen.Value
	} else if len(wanted) > 0 {
		if _, i, sure := matcher.Match(wanted...); sure != language.No {
			out.Language = words.Languages[i]
		}
	}
	if chosen, err := r.Cookie(zoneCookie); err == nil {
		name, _ := url.QueryUnescape(chosen.Value) // empty on error
		out.Zone = cmp.Or(zoneOf(name), out.Zone)
	}
	return out
}

// zoneOf returns a zone by its name, independent of the host; nil if invalid.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil
	}
	return zone
}

// setReader stores the chosen display settings.
func (v *visit) setReader() error {
	f := v.r.PostForm
	if wanted := f.Get("language"); slices.Contains(words.Languages, wanted) {
		v.choose(languageCookie, wanted)
	}
	if name := f.Get("zone"); zoneOf(name) != nil {
		v.choose(zoneCookie, url.QueryEscape(name))
	}
	v.redirect(local(f.Get("to")))
	return nil
}

func (v *visit) choose(cookie, value string) {
	http.SetCookie(v.w, &http.Cookie{Name: cookie, Value: value, Path: Root, MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, Secure: v.Secure}) // #nosec G124 -- no secret; scripts of the page read it
}

// ZoneName returns the name of the reader's zone.
func (r reader) ZoneName() string { return r.Zone.String() }

// zones lists the zones for readers without scripts.
var zones = []string{
	"UTC", "Africa/Abidjan", "Africa/Accra", "Africa/Addis_Ababa", "Africa/Dakar", "Africa/Johannesburg", "Africa/Kinshasa", "Africa/Lagos", "Africa/Nairobi", "America/Los_Angeles", "America/New_York",
	"America/Sao_Paulo", "Asia/Dhaka", "Asia/Dubai", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Manila", "Asia/Shanghai", "Asia/Tokyo",
	"Australia/Sydney", "Europe/Berlin", "Europe/London", "Europe/Paris", "Pacific/Auckland",
}

// Zones returns the zones for readers without scripts, with the reader's own.
func (r reader) Zones() []string {
	if slices.Contains(zones, r.ZoneName()) {
		return zones
	}
	return append([]string{r.ZoneName()}, zones...)
}

// moment is a time for display.
type moment struct {
	ISO  string // ISO 8601
	Text string // relative time
	Full string
}

// When returns a time relative to now, with the exact time.
func (v *visit) When(t time.Time) moment {
	m := moment{ISO: t.UTC().Format(time.RFC3339), Full: v.Clock(t)}
	away := v.now.Sub(t)
	key := "ago"
	if away < 0 {
		key, away = "in", -away
	}
	switch {
	case away < time.Minute:
		m.Text = v.T(key + ".now")
	case away < time.Hour:
		m.Text = v.N(key+".minutes", int(away/time.Minute))
	case away < 24*time.Hour:
		m.Text = v.N(key+".hours", int(away/time.Hour))
	case away < 14*24*time.Hour:
		m.Text = v.N(key+".days", int(away/(24*time.Hour)))
	default:
		m.Text = v.Date(t)
	}
	return m
}

// At returns an optional time; the zero moment if absent.
func (v *visit) At(t *time.Time) moment {
	if t == nil || t.IsZero() {
		return moment{}
	}
	return v.When(*t)
}

// Since returns the moment of a time; the zero moment for the zero time.
func (v *visit) Since(t time.Time) moment { return v.At(&t) }

// Person returns the display name of a user.
func (v *visit) Person(u wf.User) string {
	known := ""
	if v.Dev != nil {
		known = devNames[u.ID]
	}
	if name := cmp.Or(u.Name, known, u.Username, u.ID); name != "" {
		return name
	}
	return v.T("somebody")
}

// Actor returns the display name of an actor: a person or the service.
func (v *visit) Actor(a wf.ActorRef) string {
	if a.Kind == wf.ActorSystem {
		return v.Word("system", strings.TrimPrefix(a.ID, "system:"))
	}
	return v.Person(a.User())
}

// Initials returns the initials of a user.
func (v *visit) Initials(u wf.User) string {
	words := strings.FieldsFunc(v.Person(u), func(r rune) bool { return strings.ContainsRune(" .-_@", r) })
	out := ""
	for _, word := range words[:min(len(words), 2)] {
		out += strings.ToUpper(string([]rune(word)[:1]))
	}
	return out
}

// Hue returns one of six colours for a user, constant by id.
func (v *visit) Hue(u wf.User) string {
	sum := 0
	for _, b := range []byte(u.ID) {
		sum += int(b)
	}
	return fmt.Sprint("hue", sum%6)
}

// Me reports whether the user is the reader.
func (v *visit) Me(u wf.User) bool { return u.ID == v.By.ID }

// formOf is fieldsOf in the reader's language.
func (v *visit) formOf(schemaText []byte, document form.Node, values url.Values, prefix string) ([]form.Input, form.Node, bool) {
	return form.Fields(v.Reader, schemaText, document, values, prefix)
}
