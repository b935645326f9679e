package story

// approvals connects the two services: a registration requires an approval in wf.
func (s *story) approvals() {
	s.chapter("Approval of clients")
	policy := "oidc-client-" + s.run
	s.approvalPolicy(policy)

	s.step("Register a client that requires an approval")
	kiosk := s.submit("Kiosk")
	path := partnerAPI + "/" + kiosk.client
	request := s.vera.poll(path, "approval.state", "waiting").has("status", "PENDING").value("approval.requestId")
	s.idp.get(providerAPI+"/"+kiosk.client).is(200).has("status", "PENDING")
	s.ana.get("/v1/wf/requests/"+request).is(200).has("requester.id", "vera").has("context.clientId", kiosk.client)
	s.proves("The registrar creates a request on behalf of Vera with the registration as its context. A PENDING client cannot be used.")

	s.step("Approve the registration")
	s.approve(request, "fatima")
	s.vera.get(path).is(200).has("status", "PENDING")
	s.approve(request, "paula")
	s.vera.poll(path, "status", "ACTIVE").has("approval.state", "granted")
	s.idp.get(providerAPI+"/"+kiosk.client).is(200).has("status", "ACTIVE")
	s.proves("Two approvals are required. wf sends a webhook, the registrar reads the request in wf and registers the client.")

	s.step("Change a redirect URI, which requires another approval")
	moved := []string{"https://kiosk.example.org/callback"}
	change := s.change("ACTIVE", moved[0])
	change["clientName"] = "Kiosk"
	s.vera.put(path, object{"request": change}).is(200).has("status", "PENDING")
	request = s.vera.poll(path, "approval.state", "waiting").has("redirectUris", kiosk.registration["redirectUris"]).value("approval.requestId")
	s.approve(request, "fatima")
	s.approve(request, "paula")
	s.vera.poll(path, "approval.state", "granted").has("redirectUris", moved)
	s.proves("A change of redirect URIs requires a new approval. Until then the old ones remain valid.")

	s.step("Revoke the approval")
	s.vera.poll(path, "approval.standing", "in_force")
	s.ana.post("/v1/wf/requests/"+request+"/revoke", object{"reason": "the kiosk was stolen"}).is(200).has("standing", "revoked")
	s.vera.poll(path, "status", "INACTIVE").has("approval.standing", "revoked").has("approval.comment", "the kiosk was stolen")
	s.idp.get(providerAPI+"/"+kiosk.client).is(200).has("status", "INACTIVE")
	s.proves("The end of an approval disables its client. An approval that lapses has the same effect.")

	s.step("Enable the client, which requires a new approval")
	s.vera.post("/v1/registrar/clients/"+kiosk.client+"/enable", nil).is(200).has("status", "PENDING")
	request = s.vera.poll(path, "approval.state", "waiting").has("status", "INACTIVE").value("approval.requestId")
	s.approve(request, "fatima")
	s.approve(request, "paula")
	s.vera.poll(path, "status", "ACTIVE").has("approval.state", "granted").has("redirectUris", moved)
	s.proves("The registrar requests a renewal before an approval lapses. After the end the owner requests a new approval.")

	s.step("Reject a registration with a comment")
	copycat := s.submit("Bank")
	path = partnerAPI + "/" + copycat.client
	request = s.vera.poll(path, "approval.state", "waiting").value("approval.requestId")
	s.decideAs(request, "fatima", object{"action": "reject", "comment": "that is the name of a bank"})
	s.vera.poll(path, "status", "FAILED").has("approval.comment", "that is the name of a bank")
	s.vera.post(partnerAPI, object{"request": copycat.registration}).expectCodes(200, "not_approved")
	s.vera.put(path, object{"request": s.change("ACTIVE", "https://tax.example.org/callback")}).is(200).has("status", "PENDING")
	s.vera.poll(path, "approval.revision", 2)
	s.idp.get(providerAPI+"/"+copycat.client).is(200).has("status", "PENDING")
	s.proves("The client is FAILED, with the comment. A repeated registration requires a new approval.")
}

// approvalPolicy creates the approval policy in wf and refers to it in the catalogue of the registrar.
func (s *story) approvalPolicy(policy string) {
	s.step("Require two approvals for the clients of a policy")
	s.ana.post("/v1/wf/policies", object{
		"policy_key": policy, "name": "OpenID Connect clients",
		"settings": object{
			"submitters": []object{{"type": "user", "ids": []string{"oidc-registrar"}}}, "on_behalf": "submitters",
			"require_comment": object{"reject": true}, "validity": object{"valid_for": "P30D"},
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
		"events": []string{
			"request.approved", "request.rejected", "request.cancelled", "request.expired", "request.revoked", "request.lapsed",
		},
	}).is(201)
	catalogue := "/v1/partnermanager/policies/reviewed-" + s.run
	s.admin.put(catalogue, object{"request": object{
		"name": "Name, after a review", "type": "Auth", "status": "ACTIVE", "approvalPolicy": policy,
		"userClaims": []string{"name"}, "authContextRefs": []string{"mosip:idp:acr:generated-code"},
	}}).is(200).has("approvalPolicy", policy)
	s.admin.put("/v1/partnermanager/partners/"+s.tax+"/policies/reviewed-"+s.run, nil).is(200)
	s.proves("wf holds the approvers, the registrar the registrations.")
}

// submit registers a client that requires an approval.
func (s *story) submit(name string) portal {
	p := portal{key: s.newKey()}
	p.registration = object{
		"name": name, "policyId": "reviewed-" + s.run, "authPartnerId": s.tax, "publicKey": p.key.Public(),
		"logoUri": "https://tax.example.org/logo.png", "redirectUris": []string{"https://tax.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
	p.client = s.vera.post(partnerAPI, object{"request": p.registration}).is(200).has("status", "PENDING").value("clientId")
	return p
}

func (s *story) approve(request, who string) {
	s.decideAs(request, who, object{"action": "approve"})
}

// decideAs decides the task of a reviewer.
func (s *story) decideAs(request, who string, decision object) {
	people := map[string]person{"fatima": s.fatima, "paula": s.paula}
	task := s.ana.get("/v1/wf/requests/" + request).is(200).taskOf(who)
	if s.err == nil {
		people[who].decide(task, decision).is(200)
	}
}
