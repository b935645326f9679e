-- The rights of the role of the service: migrate --grant-to ROLE runs this as the owner of the tables, who migrates
-- and purges, with ROLE in place of the name here. The service then starts with serve --migrate=false.
GRANT USAGE ON SCHEMA public TO wf_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO wf_app;
GRANT INSERT ON ALL TABLES IN SCHEMA public TO wf_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO wf_app;
REVOKE INSERT ON goose_db_version FROM wf_app;

-- Updates by column: identity, policy, requester, submitter and creation never change. Evidence (event, revision,
-- message, delivery_attempt) has no column here. FOR UPDATE and ON CONFLICT DO UPDATE
-- need one column at least. The REVOKE also ends the grants of an earlier run, by table and by column.
REVOKE UPDATE ON ALL TABLES IN SCHEMA public FROM wf_app;
GRANT UPDATE (summary, detail, context, retries, rev, chain_seq, chain_hash, sealed_seq, status, context_hash, updated_ms, completed_ms, ends_ms,
  expires_ms, expiry_notified, due_ms, timer_ms, retry_ms, stuck, standing, valid_from_ms, valid_until_ms, standing_ms,
  lapse_notified) ON request TO wf_app;
GRANT UPDATE (kind, status, assignee_id, claimed_by_id, action, actor_id, decided_ms, due_ms) ON task TO wf_app;
GRANT UPDATE (started, ended, revoked_by, revoked_ms, updated_ms) ON delegation TO wf_app;
GRANT UPDATE (last_number) ON policy TO wf_app;
GRANT UPDATE (status, folded_name, labels, definition, content_hash, updated_by, activated_by, retired_by, updated_ms,
  activated_ms, retired_ms, rev) ON policy_version TO wf_app;
GRANT UPDATE (seq, hash, sealed_seq, sealed_hash, sealed_ms, checkpoint, invalid) ON chain TO wf_app;
GRANT UPDATE (url, format, events, policy_keys, include, signature, enabled, disabled_reason, disabled_ms, sealed, hint,
  public_key, previous_sealed, previous_hint, previous_public, previous_until_ms, failures, failing_since_ms,
  paused_until_ms, updated_ms, rev) ON endpoint TO wf_app;
GRANT UPDATE (url, status, cycle, attempt, crashes, last_attempt_ms, last_status_code, last_error, last_duration_ms,
  response_excerpt, delivered_ms, updated_ms) ON delivery TO wf_app;
GRANT UPDATE (username, name, email, folded_username, folded_name) ON person TO wf_app;
GRANT UPDATE (key) ON service_key TO wf_app;
GRANT UPDATE (mail_id) ON notice_item TO wf_app;
GRANT UPDATE (sealed, seen_ms, renew_ms, rev) ON session TO wf_app;

-- Rows of the work in progress.
GRANT UPDATE ON idempotency_key, denial, inbox, participant, outbox, process, logout, notice_setting, write_probe TO wf_app;

-- What follows from something else, or what an admin may delete.
GRANT DELETE ON idempotency_key, denial, inbox, participant, outbox, process, endpoint, policy_version, policy_owner, policy_figures, session, logout, notice_setting, notice_item TO wf_app;

-- While writes fail the service tries whether they work again, with a row that it deletes.
GRANT DELETE ON write_probe TO wf_app;
