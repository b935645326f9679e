package policy

// Check is a rule over the content of a request, such as that its last day is not before its first. It reads no
// stage, because it is evaluated before the stages start.
type Check struct {
	CEL         string `json:"cel" minLength:"1" maxLength:"4096" doc:"CEL that yields a bool. The request is refused if it is false or fails."`
	Message     string `json:"message" minLength:"1" maxLength:"300" doc:"Text of the refusal, for the requester."`
	MessageI18n Texts  `json:"message_i18n,omitempty" maxProperties:"20" doc:"The message in other languages, by language tag (BCP 47), for pages."`
	Field       string `json:"field,omitempty" maxLength:"512" doc:"JSON pointer (RFC 6901) to the member of the context that the requester should correct; the whole content when absent."`
}

func (c Check) validate(v *validation, pointer string) {
	v.expression(pointer+"/cel", Expression{c.CEL, YieldsBool, []string{"stages"}})
	v.label(pointer+"/message", c.Message)
	v.texts(pointer+"/message_i18n", c.MessageI18n, true)
	if _, err := parsePointer(c.Field); err != nil {
		v.add(pointer+"/field", "%s", err)
	}
}

// FindCheck returns the check with a field and a message.
func (s Settings) FindCheck(field, message string) (Check, bool) {
	for _, c := range s.Checks {
		if c.Field == field && c.Message == message {
			return c, true
		}
	}
	return Check{}, false
}
