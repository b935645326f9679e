package story

// approvals is the part in which the two services work together: people in wf say which
// clients the registrar may make known to the identity provider.
func (s *story) approvals() {
	s.chapter("People approve a client")
	policy := "oidc-client-" + s.run
	s.approvalPolicy(policy)

	s.step("Vera registers a kiosk")
	kiosk := s.submit("Kiosk")
	path := partnerDoor + "/" + kiosk.client
	request := s.vera.until(path, "approval.state", "waiting").has("status", "PENDING").value("approval.requestId")
	s.idp.get(providerDoor+"/"+kiosk.client).is(200).has("status", "PENDING")
	s.ana.get("/v1/wf/requests/"+request).is(200).has("requester.id", "vera").has("context.clientId", kiosk.client)
	s.proves("The registrar asks on behalf of Vera, and what she sent is what people see. The provider serves no client that is PENDING.")

	s.step("Fatima and Paula approve it")
	s.approve(request, "fatima")
	s.vera.get(path).is(200).has("status", "PENDING")
	s.approve(request, "paula")
	s.vera.until(path, "status", "ACTIVE").has("approval.state", "granted")
	s.idp.get(providerDoor+"/"+kiosk.client).is(200).has("status", "ACTIVE")
	s.proves("One is not enough. With the second yes, wf sends a webhook; the registrar asks wf whether that is true, and lets the client go.")

	s.step("Vera moves the kiosk to another address")
	moved := []string{"https://kiosk.example.org/callback"}
	change := s.change("ACTIVE", moved[0])
	change["clientName"] = "Kiosk"
	s.vera.put(path, object{"request": change}).is(200).has("status", "PENDING")
	request = s.vera.until(path, "approval.state", "waiting").has("redirectUris", kiosk.registration["redirectUris"]).value("approval.requestId")
	s.approve(request, "fatima")
	s.approve(request, "paula")
	s.vera.until(path, "approval.state", "granted").has("redirectUris", moved)
	s.proves("An approval is for what people have seen. Where codes are sent is asked again, and stays as it was until then.")

	s.step("Another client is rejected, with a comment")
	copycat := s.submit("Bank")
	path = partnerDoor + "/" + copycat.client
	request = s.vera.until(path, "approval.state", "waiting").value("approval.requestId")
	s.decideAs(request, "fatima", object{"action": "reject", "comment": "that is the name of a bank"})
	s.vera.until(path, "status", "FAILED").has("approval.comment", "that is the name of a bank")
	s.vera.post(partnerDoor, object{"request": copycat.registration}).refused(200, "not_approved")
	s.vera.put(path, object{"request": s.change("ACTIVE", "https://tax.example.org/callback")}).is(200).has("status", "PENDING")
	s.vera.until(path, "approval.revision", 2)
	s.idp.get(providerDoor+"/"+copycat.client).is(200).has("status", "PENDING")
	s.proves("Vera reads why. Sending it again asks the people again; no way leads around them.")
}

// approvalPolicy says in wf who approves clients, and in the registrar's catalogue that
// they are asked.
func (s *story) approvalPolicy(policy string) {
	s.step("Ana says that two people approve the clients of a policy")
	s.ana.post("/v1/wf/policies", object{
		"policy_key": policy, "name": "OpenID Connect clients",
		"settings": object{
			"submitters": []object{{"type": "user", "ids": []string{"oidc-registrar"}}}, "on_behalf": "submitters",
			"require_comment": object{"reject": true},
		},
		"stages": []object{{
			"key": "review", "name": "Review", "assignment": "each",
			"approvers": []object{{"type": "user", "ids": []string{"fatima", "paula"}}}, "quorum": object{"mode": "all"},
		}},
	}).is(201)
	s.ana.post("/v1/wf/policies/"+policy+"/versions/1/activate", nil).is(200)
	secret, err := s.secret()
	if err != nil {
		s.fail("%w", err)
		return
	}
	s.ana.post("/v1/wf/admin/webhooks", object{
		"name": "registrar-" + s.run, "url": s.Registrar + "/v1/registrar/approvals", "secret": secret, "policy_keys": []string{policy},
		"events": []string{"request.approved", "request.rejected", "request.cancelled", "request.expired"},
	}).is(201)
	catalogue := "/v1/partnermanager/policies/reviewed-" + s.run
	s.admin.put(catalogue, object{"request": object{
		"name": "Name, after a review", "type": "Auth", "status": "ACTIVE", "approvalPolicy": policy,
		"userClaims": []string{"name"}, "authContextRefs": []string{"mosip:idp:acr:generated-code"},
	}}).is(200).has("approvalPolicy", policy)
	s.admin.put("/v1/partnermanager/partners/"+s.tax+"/policies/reviewed-"+s.run, nil).is(200)
	s.proves("wf knows who approves, the registrar what is to be approved. Neither needs the other for anything else.")
}

// submit registers a client that people have to approve.
func (s *story) submit(name string) portal {
	p := portal{key: s.newKey()}
	p.registration = object{
		"name": name, "policyId": "reviewed-" + s.run, "authPartnerId": s.tax, "publicKey": p.key.Public(),
		"logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{"https://tax.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
	p.client = s.vera.post(partnerDoor, object{"request": p.registration}).is(200).has("status", "PENDING").value("clientId")
	return p
}

func (s *story) approve(request, who string) {
	s.decideAs(request, who, object{"action": "approve"})
}

// decideAs has one of the reviewers decide their task of a request.
func (s *story) decideAs(request, who string, decision object) {
	people := map[string]person{"fatima": s.fatima, "paula": s.paula}
	task := s.ana.get("/v1/wf/requests/" + request).is(200).taskOf(who)
	if s.err == nil {
		people[who].decide(task, decision).is(200)
	}
}
