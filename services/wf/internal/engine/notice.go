package engine

import (
	"context"
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
	"github.com/countersign/countersign/services/wf/reason"
)

// Notices has the use cases of notifications.
type Notices struct{ *core }

// NotificationDefaults holds the notification defaults for users without settings of their own.
type NotificationDefaults struct {
	notice.Schedule // in the default time zone

	Language string
}

// NotificationSettings holds the notification settings of a user.
type NotificationSettings struct {
	notice.Settings

	Sends bool   // the service sends mail
	Email string // the user's address, if stored
	Hour  int    // of daily mail
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
		if id, ok := ReadNoticeTarget(d.Target); ok {
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
const maxUnaddressed = 1000

// WithoutAddress returns the approvers of open tasks without a stored address, at most 1,000. sends is false if the
// service sends no mail.
func (e *Notices) WithoutAddress(ctx context.Context) (people []identity.User, sends bool, err error) {
	if e.Notifications == nil {
		return nil, false, nil
	}
	ids, err := e.store.Notices.WithoutAddress(ctx, maxUnaddressed)
	for _, id := range ids {
		people = append(people, identity.User{ID: id})
	}
	return people, true, err
}

// GetNotifications returns the caller's notification settings with the mail address in use. The address
// comes from their last token, else from the directory.
func (e *Notices) GetNotifications(ctx context.Context, by identity.Actor) (NotificationSettings, error) {
	to, settings, err := e.store.Notices.Recipient(ctx, by.ID)
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
	n := NotificationSettings{Settings: settings, Email: to.Email}
	if e.Notifications != nil {
		n.Sends, n.Hour = true, e.Notifications.Hour
	}
	return n, err
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
	if zone, err := time.LoadLocation(s.Zone); err != nil || zone == time.Local {
		return refusal.At(reason.BadInput, "/zone", "must be a time zone such as Europe/Paris")
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		tx.MeetActor(by)
		return tx.Notices.PutSettings(by.ID, s)
	})
}

// noticeTarget encodes a recipient as the URL of a delivery.
func noticeTarget(person string) outbox.Target {
	return outbox.Target{Endpoint: outbox.People, URL: "person:" + url.PathEscape(person)}
}

// ReadNoticeTarget returns the recipient of the delivery of a mail.
func ReadNoticeTarget(t outbox.Target) (person string, ok bool) {
	escaped, found := strings.CutPrefix(t.URL, "person:")
	person, err := url.PathUnescape(escaped)
	return person, found && err == nil && t.ToPeople()
}

// collect stores the notices of a transition.
func (e *core) collect(tx *store.Tx, before, after wf.Request, events []wf.Event) error {
	if e.Notifications == nil || len(events) == 0 {
		return nil
	}
	var actors []string
	for _, entry := range append(before.Inbox(), after.Inbox()...) {
		actors = append(actors, entry.UserID)
	}
	slices.Sort(actors)
	given, err := tx.Delegations.From(slices.Compact(actors))
	if err != nil {
		return err
	}
	return e.notify(tx, notice.Collect(before, after, events, given), after.ID)
}

// notify stores notices for the next mails of their people. request is the id of their request; empty for none.
func (e *core) notify(tx *store.Tx, list []notice.Notice, request string) error {
	if e.Notifications == nil || len(list) == 0 {
		return nil
	}
	var ids []string
	var people []identity.User
	for _, n := range list {
		ids, people = append(ids, n.Person.ID), append(people, n.Person)
	}
	slices.Sort(ids)
	chosen, err := tx.Notices.Settings(slices.Compact(ids))
	if err != nil {
		return err
	}
	tx.Meet(people...)
	var items []store.NoticeItem
	for _, n := range list {
		s, ok := chosen[n.Person.ID]
		if !ok {
			s = notice.Default()
		}
		if s.Mail != notice.Off {
			items = append(items, store.NoticeItem{Notice: n, RequestID: request, Due: e.Notifications.of(s).Due(s.Mail, tx.Now())})
		}
	}
	return tx.Notices.AddItems(items)
}

// of returns the schedule of a person.
func (d *NotificationDefaults) of(s notice.Settings) notice.Schedule {
	schedule := d.Schedule
	if zone, err := time.LoadLocation(s.Zone); s.Zone != "" && err == nil {
		schedule.Zone = zone
	}
	return schedule
}

// SendMails creates the deliveries of due mails, at most limit, and returns their number. A mail has all notices of a
// person since the last one.
func (e *Notices) SendMails(ctx context.Context, now time.Time, limit int) (int, error) {
	if e.Notifications == nil {
		return 0, nil
	}
	return e.processAll(ctx, 1, e.inOwnTx((*answers).mail))(e.store.Due.Mails(ctx, now, limit))
}

// mail creates the delivery of a person's mail. Its content is read when it is sent.
func (a *answers) mail(tx *store.Tx, id string) error {
	delivery := newID()
	anchor, due, err := tx.Notices.TakeMail(id, delivery)
	if err != nil || !due {
		return err
	}
	return tx.AddDeliveries(outbox.Message{
		EventID: anchor.EventID, Variant: "mail", EventType: string(anchor.EventType), Subject: anchor.RequestID, Sequence: anchor.Seq,
		At: tx.Now(), Payload: []byte("{}"),
	}.Deliveries([]outbox.Target{noticeTarget(id)}, func() string { return delivery }))
}

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
	return e.applyStep(wf.WarnOfEnd(within))
}
