package engine

import (
	"context"
	"encoding/json"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Notices has the use cases of notifications.
type Notices struct{ *core }

// NotificationDefaults holds the notification defaults for users without settings of their own.
type NotificationDefaults struct {
	DigestHour int           // hour of the day of digests, in the recipient's time zone
	Collect    time.Duration // from the first task of a mail about tasks to the mail
	Zone       *time.Location
	Language   string
}

// NotificationSettings holds the notification settings of a user.
type NotificationSettings struct {
	Settings   notice.Settings
	Mail       bool   // the service sends mail
	Email      string // the user's address, if stored
	DigestHour int
}

// Deliverable reports whether text is one mail address with a host name. An address literal (RFC
// 5321 §4.1.3) would send mail to any host of the network. A leading "-" is an option to some mail
// programs.
func Deliverable(text string) bool {
	parsed, err := mail.ParseAddress("<" + text + ">")
	if err != nil || parsed.Address != text || strings.HasPrefix(text, "-") {
		return false
	}
	host := text[strings.LastIndexByte(text, '@')+1:]
	_, literal := netip.ParseAddr(host)
	return !strings.HasPrefix(host, "[") && literal != nil
}

// Addressees returns the recipients of notification deliveries with their names, by delivery id.
func (e *Notices) Addressees(ctx context.Context, list ...outbox.Delivery) (map[string]identity.User, error) {
	addressees, ids := map[string]identity.User{}, []string{}
	for _, d := range list {
		if id, _, ok := ReadNoticeTarget(d.Target); ok {
			addressees[d.ID], ids = identity.User{ID: id}, append(ids, id)
		}
	}
	known, err := e.store.KnownPeople(ctx, ids)
	for delivery, u := range addressees {
		if found, ok := known[u.ID]; ok {
			found.Email = "" // the mail may have used another address
			addressees[delivery] = found
		}
	}
	return addressees, err
}

// maxUnaddressed bounds the result of WithoutAddress.
const maxUnaddressed = 10_000

// WithoutAddress counts the approvers of open tasks without a stored address, at most 10,000. sends
// is false if the service sends no mail.
func (e *Notices) WithoutAddress(ctx context.Context) (n int, sends bool, err error) {
	if e.Notifications == nil {
		return 0, false, nil
	}
	n, err = e.store.Notices.WithoutAddress(ctx, maxUnaddressed)
	return n, true, err
}

// GetNotifications returns the caller's notification settings with the mail address in use. The address
// comes from their last token, else from the directory.
func (e *Notices) GetNotifications(ctx context.Context, by identity.Actor) (NotificationSettings, error) {
	to, err := e.store.Notices.Recipient(ctx, by.ID, "", "")
	if err == nil && !Deliverable(to.Email) && e.Directory && e.Notifications != nil {
		found, _ := e.Resolve(ctx, approver.ExistingUsers(by.ID)) // without an answer the address stays empty
		for _, u := range found {
			if u.ID == by.ID {
				to.Email = u.Email
			}
		}
	}
	if !Deliverable(to.Email) {
		to.Email = ""
	}
	return NotificationSettings{to.Settings, e.Notifications != nil, to.Email, e.Notifications.hour()}, err
}

// RememberActor stores the person of a token, unless this process has. A stored person is known; see findUser.
func (e *People) RememberActor(ctx context.Context, by identity.Actor) error {
	if by.Kind != identity.ActorUser || by.Unverified == "" && e.store.HasMet(by.User) {
		return nil
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		tx.MeetActor(by)
		return nil
	})
}

// PutNotifications stores the caller's notification settings.
func (e *Notices) PutNotifications(ctx context.Context, by identity.Actor, s notice.Settings) error {
	if err := wf.RequirePerson(by); err != nil {
		return err
	}
	if _, err := e.Notifications.zone(s); err != nil {
		return refusal.At(reason.BadInput, "/zone", "must be a time zone such as Europe/Paris")
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		tx.MeetActor(by)
		return e.putSettings(tx, by.ID, s)
	})
}

// putSettings stores the notification settings of a person and the time of the next digest.
func (e *Notices) putSettings(tx *store.Tx, id string, s notice.Settings) error {
	zone, err := e.Notifications.zone(s)
	if err != nil {
		return err
	}
	var digest time.Time
	if s.HasDaily() {
		digest = notice.NextDigest(tx.Now(), e.Notifications.hour(), zone)
	}
	return tx.Notices.PutSettings(id, s, digest)
}

// zone returns the time zone of a user.
func (t *NotificationDefaults) zone(s notice.Settings) (*time.Location, error) {
	if s.Zone == "" {
		if t == nil {
			return time.UTC, nil
		}
		return t.Zone, nil
	}
	if s.Zone == "Local" {
		return nil, reason.BadInput
	}
	return time.LoadLocation(s.Zone)
}

func (t *NotificationDefaults) hour() int {
	if t == nil {
		return 0
	}
	return t.DigestHour
}

// NoticeTarget encodes recipient and kind as the URL of a delivery.
func NoticeTarget(person string, kind notice.Kind) outbox.Target {
	return outbox.Target{Endpoint: outbox.People, URL: "person:" + url.PathEscape(person) + "?kind=" + string(kind)}
}

// ReadNoticeTarget parses a target of NoticeTarget.
func ReadNoticeTarget(t outbox.Target) (person string, kind notice.Kind, ok bool) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "person" || !t.ToPeople() {
		return "", "", false
	}
	person, err = url.PathUnescape(u.Opaque)
	return person, notice.Kind(u.Query().Get("kind")), err == nil
}

// notices returns the instant notification targets of a transition by event id. The others are
// stored for the next digests.
func (a *answers) notices(tx *store.Tx, before, after wf.Request, events []wf.Event) (map[string][]outbox.Target, error) {
	if a.Notifications == nil {
		return nil, nil
	}
	list := notice.Collect(before, after, events)
	if len(list) == 0 {
		return nil, nil
	}
	var ids []string
	var people []identity.User
	for _, n := range list {
		ids, people = append(ids, n.Person.ID), append(people, n.Person)
	}
	slices.Sort(ids)
	said, err := tx.Notices.Settings(slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	tx.CollectNames(people)
	instant := map[string][]outbox.Target{}
	var items []store.NoticeItem
	for _, n := range list {
		settings, ok := said[n.Person.ID]
		if !ok {
			settings = notice.Default()
		}
		item := store.NoticeItem{Notice: n, RequestID: after.ID, At: tx.Now()}
		switch mode := settings.Mode(n.Kind); {
		case mode == notice.Instant && n.Kind == notice.Waits && after.Priority != wf.PriorityUrgent:
			item.Collect = true
			items = append(items, item)
		case mode == notice.Instant:
			instant[n.EventID] = append(instant[n.EventID], NoticeTarget(n.Person.ID, n.Kind))
		case mode == notice.Daily && n.Kind != notice.Waits: // the digest reads waiting tasks itself
			items = append(items, item)
		}
	}
	return instant, tx.Notices.AddItems(items)
}

// SendTaskMails creates the due mails about tasks, at most limit, and returns their number. A mail has the tasks of a
// person from Collect after the first one. Urgent requests have mails of their own, at once.
func (e *Notices) SendTaskMails(ctx context.Context, now time.Time, limit int) (int, error) {
	if e.Notifications == nil {
		return 0, nil
	}
	return e.processAll(ctx, 1, e.inOwnTx((*answers).taskMail))(e.store.Due.TaskMails(ctx, now.Add(-e.Notifications.Collect), limit))
}

// taskMail creates the delivery of a person's mail about tasks. Its payload, for admins, names the first request.
func (a *answers) taskMail(tx *store.Tx, id string) error {
	delivery := newID()
	m, due, err := tx.Notices.TakeTaskMail(id, tx.Now().Add(-a.Notifications.Collect), delivery)
	if err != nil || !due {
		return err
	}
	payload, err := json.Marshal(wf.Payload{Type: m.EventType, Data: wf.PayloadData{EventID: m.EventID, Sequence: m.Seq, Request: &wf.RequestSummary{
		ID: m.RequestID, PolicyKey: m.First.PolicyKey, PolicyVersion: m.First.PolicyVersion, Title: m.First.Title, Priority: m.First.Priority,
		Requester: m.First.Requester,
	}}})
	if err != nil {
		return err
	}
	target := NoticeTarget(id, notice.Waits)
	target.URL += taskMailMark
	return tx.AddDeliveries(outbox.Message{
		EventID: m.EventID, EventType: string(m.EventType), Subject: m.RequestID, Sequence: m.Seq, At: tx.Now(), Payload: payload,
	}.Deliveries([]outbox.Target{target}, func() string { return delivery }))
}

// taskMailMark ends the target of a mail about tasks.
const taskMailMark = "&tasks=collected"

// IsTaskMail reports whether a delivery is a mail about tasks, whose content is read when it is sent.
func IsTaskMail(t outbox.Target) bool { return t.ToPeople() && strings.HasSuffix(t.URL, taskMailMark) }

// WarnOfExpiry sends expiry warnings for requests that expire within a time, at most limit. It
// returns the number of requests processed.
func (e *Timers) WarnOfExpiry(ctx context.Context, within time.Duration, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.warn(within))(e.store.Due.ExpiringRequests(ctx, now, now.Add(within), limit))
}

// WarnOfLapse sends warnings for approvals that lapse within a time, at most limit. It returns the number of
// requests processed.
func (e *Timers) WarnOfLapse(ctx context.Context, within time.Duration, now time.Time, limit int) (int, error) {
	return e.processAll(ctx, 1, e.warn(within))(e.store.Due.LapsingApprovals(ctx, now, now.Add(within), limit))
}

func (e *Timers) warn(within time.Duration) func(context.Context, string) error {
	return e.applyStep(func(r wf.Request, def policy.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
		return r.WarnOfEnd(def, within, f)
	})
}

// SendDigests creates due digests, at most limit, and returns the number processed. An empty digest
// is not sent.
func (e *Notices) SendDigests(ctx context.Context, now time.Time, limit int) (int, error) {
	if e.Notifications == nil {
		return 0, nil
	}
	return e.processAll(ctx, 1, e.inOwnTx((*answers).digest))(e.store.Due.Digests(ctx, now, limit))
}

func (a *answers) digest(tx *store.Tx, id string) error {
	d, due, err := tx.Notices.TakeDigest(id)
	if err != nil || !due {
		return err
	}
	zone, err := a.Notifications.zone(d.Settings)
	if err != nil { // the zone was valid when it was stored
		zone = a.Notifications.Zone
	}
	var next time.Time
	if d.Settings.HasDaily() {
		next = notice.NextDigest(tx.Now(), a.Notifications.DigestHour, zone)
	}
	if d.Anchor.EventID == "" {
		return tx.Notices.FinishDigest(id, "", next)
	}
	target := NoticeTarget(id, notice.Digest)
	target.URL += "&day=" + tx.Now().In(zone).Format(time.DateOnly)
	list := outbox.Message{
		EventID: d.Anchor.EventID, EventType: string(notice.Digest), Subject: d.Anchor.RequestID, Sequence: d.Anchor.Seq, At: tx.Now(), Payload: []byte("{}"),
	}.Deliveries([]outbox.Target{target}, newID)
	if err := tx.AddDeliveries(list); err != nil {
		return err
	}
	return tx.Notices.FinishDigest(id, list[0].ID, next)
}
