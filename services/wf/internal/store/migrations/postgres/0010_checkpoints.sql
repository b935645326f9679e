-- Checkpoints of the audit trail.

-- +goose Up

-- The last event of the chain that an event audit.checkpoint lists. The index has the requests with later events.
ALTER TABLE request ADD COLUMN sealed_seq bigint NOT NULL DEFAULT 0;
CREATE INDEX request_unsealed ON request (updated_ms) WHERE chain_seq > sealed_seq;

-- The last signed checkpoint; sealed_ms is 0 before the first.
ALTER TABLE chain
  ADD COLUMN sealed_seq  bigint NOT NULL DEFAULT 0,
  ADD COLUMN sealed_hash text NOT NULL DEFAULT '',
  ADD COLUMN sealed_ms   bigint NOT NULL DEFAULT 0,
  ADD COLUMN checkpoint  text NOT NULL DEFAULT ''; -- JWS
