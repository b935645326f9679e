-- +goose Up

-- How people want to be told of things. Who has no row is told of everything at once.
CREATE TABLE notice_setting (
  user_id    text PRIMARY KEY,
  waits      text NOT NULL CHECK (waits IN ('instant', 'daily', 'none')),
  expires    text NOT NULL CHECK (expires IN ('instant', 'daily', 'none')),
  decided    text NOT NULL CHECK (decided IN ('instant', 'daily', 'none')),
  changes    text NOT NULL CHECK (changes IN ('instant', 'daily', 'none')),
  mentioned  text NOT NULL CHECK (mentioned IN ('instant', 'daily', 'none')),
  language   text NOT NULL, -- empty for that of the service, and so is zone
  zone       text NOT NULL,
  digest_ms  bigint NOT NULL, -- when the next digest is due; 0 for none
  updated_ms bigint NOT NULL
);
CREATE INDEX notice_setting_digest ON notice_setting (digest_ms) WHERE digest_ms > 0;

-- What the next digest of somebody tells of, beside what waits for them then; or a digest
-- that is on its way. It has no names: the digest is written when it is sent.
CREATE TABLE notice_item (
  user_id    text NOT NULL,
  event_id   uuid NOT NULL,
  kind       text NOT NULL,
  request_id uuid NOT NULL,
  at_ms      bigint NOT NULL,
  digest_id  text NOT NULL DEFAULT '', -- the delivery; empty for the next one
  PRIMARY KEY (user_id, digest_id, at_ms, event_id, kind)
);
CREATE INDEX notice_item_request ON notice_item (request_id);
CREATE INDEX notice_item_digest ON notice_item (digest_id) WHERE digest_id <> '';

ALTER TABLE request ADD COLUMN warned boolean NOT NULL DEFAULT false;
