package frame

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/text/language"

	"github.com/countersign/countersign/libs/ui/i18n"
)

// Cookies with display settings. They do not identify the user.
const (
	languageCookie = "language"
	zoneCookie     = "zone" // also set by the script from the browser's zone
)

// maxPreferred is the number of languages that a reader may prefer to those of the pages.
const maxPreferred = 5

// readerOf returns the display settings of a request, from its cookies or its headers.
func (s *Site) readerOf(r *http.Request) i18n.Reader {
	out := i18n.Reader{Texts: s.Texts, Language: s.Languages[0], Zone: time.UTC}
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // empty if invalid
	if chosen, err := r.Cookie(s.Cookies + "_" + languageCookie); err == nil &&
		slices.Contains(s.Languages, chosen.Value) {
		out.Language = chosen.Value
	} else if len(wanted) > 0 {
		if _, i, sure := s.matcher().Match(wanted...); sure != language.No {
			out.Language = s.Languages[i]
		}
	}
	for _, tag := range wanted[:min(len(wanted), maxPreferred)] {
		base, _ := tag.Base()
		if slices.Contains(s.Languages, base.String()) {
			break
		}
		out.Preferred = append(out.Preferred, tag.String())
	}
	if chosen, err := r.Cookie(s.Cookies + "_" + zoneCookie); err == nil {
		name, _ := url.QueryUnescape(chosen.Value) // empty on error
		out.Zone = cmp.Or(Zone(name), out.Zone)
	}
	return out
}

func (s *Site) matcher() language.Matcher {
	tags := make([]language.Tag, len(s.Languages))
	for i, l := range s.Languages {
		tags[i] = language.Make(l)
	}
	return language.NewMatcher(tags)
}

// Zone returns a zone by its name, independent of the host; nil if invalid.
func Zone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil
	}
	return zone
}

// SetReader stores the chosen display settings and returns to the page.
func (r *Request) SetReader() error {
	r.StoreReader()
	r.Redirect(r.LocalPath(r.R.PostForm.Get("to")))
	return nil
}

// StoreReader stores the chosen display settings.
func (r *Request) StoreReader() {
	f := r.R.PostForm
	if wanted := f.Get("language"); slices.Contains(r.Languages, wanted) {
		r.setCookie(languageCookie, wanted)
	}
	if name := f.Get("zone"); Zone(name) != nil {
		r.setCookie(zoneCookie, url.QueryEscape(name))
	}
}

func (r *Request) setCookie(cookie, value string) {
	http.SetCookie(r.W, &http.Cookie{ // #nosec G124 -- no secret; scripts of the page read it
		Name: r.Cookies + "_" + cookie, Value: value, Path: r.Root, MaxAge: 365 * 24 * 3600,
		SameSite: http.SameSiteLaxMode, Secure: r.Secure,
	})
}

// ZoneName returns the name of the reader's zone.
func (r *Request) ZoneName() string { return r.Zone.String() }

// zones lists the zones for readers without scripts.
var zones = []string{
	"UTC", "Africa/Abidjan", "Africa/Accra", "Africa/Addis_Ababa", "Africa/Dakar", "Africa/Johannesburg",
	"Africa/Kinshasa",
	"Africa/Lagos", "Africa/Nairobi", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Dhaka",
	"Asia/Dubai",
	"Asia/Kathmandu", "Asia/Kolkata", "Asia/Manila", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin",
	"Europe/London", "Europe/Paris", "Pacific/Auckland",
}

// Zones returns the zones for readers without scripts, with the reader's own.
func (r *Request) Zones() []string {
	if slices.Contains(zones, r.ZoneName()) {
		return zones
	}
	return append([]string{r.ZoneName()}, zones...)
}

// Moment is a time for display.
type Moment struct {
	ISO  string // ISO 8601
	Text string // relative time
	Full string
}

// Moment returns a time relative to the page request, with the exact time.
func (r *Request) Moment(t time.Time) Moment {
	m := Moment{ISO: t.UTC().Format(time.RFC3339), Full: r.Clock(t)}
	away := r.Begun.Sub(t)
	key := "ago"
	if away < 0 {
		key, away = "in", -away
	}
	const day = 24 * time.Hour
	switch minutes, hours, days := away.Round(time.Minute), away.Round(time.Hour), away.Round(day); {
	case away < time.Minute:
		m.Text = r.T(key + ".now")
	case minutes < time.Hour:
		m.Text = r.N(key+".minutes", int(minutes/time.Minute))
	case hours < day:
		m.Text = r.N(key+".hours", int(hours/time.Hour))
	case days < 14*day:
		m.Text = r.N(key+".days", int(days/day))
	default:
		m.Text = r.Date(t)
	}
	return m
}

// OptionalMoment returns an optional time; the zero Moment if absent.
func (r *Request) OptionalMoment(t *time.Time) Moment {
	if t == nil || t.IsZero() {
		return Moment{}
	}
	return r.Moment(*t)
}

// MomentOrZero returns the Moment of a time; the zero Moment for the zero time.
func (r *Request) MomentOrZero(t time.Time) Moment { return r.OptionalMoment(&t) }
