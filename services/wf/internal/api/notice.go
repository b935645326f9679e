package api

import (
	"cmp"
	"context"

	"github.com/countersign/countersign/services/wf/notice"
)

// noticeHandlers serves the operations on notification settings.
type noticeHandlers struct{ *API }

// mount registers the operations.
func (h noticeHandlers) mount() {
	register(h.API, operation{"getNotifications", get, "/v1/wf/me/notifications", anyone, 200, nil,
		"Read notification settings"}, h.getNotifications)
	register(h.API, operation{"putNotifications", put, "/v1/wf/me/notifications", anyone, 200, nil,
		"Update notification settings"}, h.putNotifications)
}

// noticeModes holds a mode for each kind of notification.
type noticeModes struct {
	WaitsForYou  notice.Mode `json:"waits_for_you,omitempty" doc:"Something waits for the caller's decision, or they may take it; instant when absent."`
	ExpiresSoon  notice.Mode `json:"expires_soon,omitempty" doc:"A request expires soon that waits for the caller, or that they ask for; instant when absent."`
	Decided      notice.Mode `json:"decided,omitempty" doc:"A request of the caller is approved, rejected, cancelled or expired; instant when absent."`
	ChangesAsked notice.Mode `json:"changes_asked,omitempty" doc:"The caller is asked to change a request; instant when absent."`
	Mentioned    notice.Mode `json:"mentioned,omitempty" doc:"A comment mentions the caller; instant when absent."`
}

// language is a language of mail.
type language string

// Values returns every value.
func (language) Values() []language { return []language{"en", "fr"} }

// noticesView holds the caller's notification settings.
type noticesView struct {
	Kinds    noticeModes `json:"kinds" doc:"Settings by kind of notice."`
	Language language    `json:"language,omitempty" doc:"Language of mail; that of the service when absent."`
	Zone     string      `json:"zone,omitempty" doc:"Time zone of mail; that of the service when absent."`

	Mail  bool   `json:"mail" doc:"Whether the service sends mail. Settings are stored in any case."`
	Email string `json:"email,omitempty" doc:"Address of a mail to the caller, from the last token or else from the directory; absent without one."`
}

func (h noticeHandlers) getNotifications(ctx context.Context, _ *struct{}) (result[noticesView], error) {
	n, err := h.engine.Notices.GetNotifications(ctx, actorOf(ctx))
	s := n.Settings
	return result[noticesView]{Value: noticesView{
		Kinds:    noticeModes{WaitsForYou: s.Waits, ExpiresSoon: s.Expires, Decided: s.Decided, ChangesAsked: s.Changes, Mentioned: s.Mentioned},
		Language: language(s.Language), Zone: s.Zone, Mail: n.Mail, Email: n.Email,
	}}, err
}

// noticesBody is the input of the notification settings.
type noticesBody struct {
	Kinds    noticeModes `json:"kinds,omitempty" doc:"Settings by kind of notice."`
	Language language    `json:"language,omitempty" doc:"Language of mail; that of the service when absent."`
	Zone     string      `json:"zone,omitempty" maxLength:"64" doc:"Time zone of mail, such as Europe/Paris; that of the service when absent."`
}

type putNotificationsInput struct {
	Body noticesBody `doc:"All settings; absent members get their defaults."`
}

func (h noticeHandlers) putNotifications(ctx context.Context, in *putNotificationsInput) (result[noticesView], error) {
	k := in.Body.Kinds
	orInstant := func(m notice.Mode) notice.Mode { return cmp.Or(m, notice.Instant) }
	err := h.engine.Notices.PutNotifications(ctx, actorOf(ctx), notice.Settings{
		Waits: orInstant(k.WaitsForYou), Expires: orInstant(k.ExpiresSoon), Decided: orInstant(k.Decided), Changes: orInstant(k.ChangesAsked), Mentioned: orInstant(k.Mentioned),
		Language: string(in.Body.Language), Zone: in.Body.Zone,
	})
	if err != nil {
		return result[noticesView]{}, err
	}
	return h.getNotifications(ctx, nil)
}
