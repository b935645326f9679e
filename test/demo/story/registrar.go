package story

// registrar asks whether oidc-registrar is there.
func (s *story) registrar() {
	s.chapter("The registrar")

	s.step("The registrar is up")
	person{story: s, name: "nobody", base: s.Registrar}.get("/readyz").is(200)
	s.proves("It takes registrations now.")
}
