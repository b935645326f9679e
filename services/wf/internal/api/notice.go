package api

import (
	"cmp"
	"context"

	"github.com/countersign/countersign/services/wf/notice"
)

// noticeHandlers serves the operations on notification settings.
type noticeHandlers struct{ *API }

func (h noticeHandlers) mount() {
	register(h.API, operation{"getNotifications", get, "/v1/wf/me/notifications", anyone, 200, nil,
		"Read notification settings"}, h.getNotifications)
	register(h.API, operation{"putNotifications", put, "/v1/wf/me/notifications", anyone, 200, nil,
		"Update notification settings"}, h.putNotifications)
}

// noticesView holds the caller's notification settings.
type noticesView struct {
	Mail     notice.Mail `json:"mail" doc:"Frequency of mail: off; frequent: every five minutes at most; daily: at 8:00 in the time zone of mail."`
	Language string      `json:"language,omitempty" enum:"en,fr" doc:"Language of mail; that of the service when absent."`
	Zone     string      `json:"zone,omitempty" doc:"Time zone of mail; that of the service when absent."`
	Email    string      `json:"email,omitempty" doc:"Address of a mail to the caller, from the last token or else from the directory; absent without one."`
}

func (h noticeHandlers) getNotifications(ctx context.Context, _ *struct{}) (result[noticesView], error) {
	n, err := h.engine.Notices.GetNotifications(ctx, actorOf(ctx))
	return result[noticesView]{Value: noticesView{n.Settings.Mail, n.Language, n.Zone, n.Email}}, err
}

// noticesBody is the input of the notification settings.
type noticesBody struct {
	Mail     notice.Mail `json:"mail,omitempty" doc:"Frequency of mail; frequent when absent. Settings are stored also if the service sends no mail."`
	Language string      `json:"language,omitempty" enum:"en,fr" doc:"Language of mail; that of the service when absent."`
	Zone     string      `json:"zone,omitempty" maxLength:"64" doc:"Time zone of mail, such as Europe/Paris; that of the service when absent."`
}

type putNotificationsInput struct {
	Body noticesBody `doc:"All settings; absent members get their defaults."`
}

func (h noticeHandlers) putNotifications(ctx context.Context, in *putNotificationsInput) (result[noticesView], error) {
	s := notice.Settings{Mail: cmp.Or(in.Body.Mail, notice.Frequent), Language: in.Body.Language, Zone: in.Body.Zone}
	if err := h.engine.Notices.PutNotifications(ctx, actorOf(ctx), s); err != nil {
		return result[noticesView]{}, err
	}
	return h.getNotifications(ctx, nil)
}
