-- Facts of requests and filters of the task list.

-- +goose Up

-- The values of the content that settings.summary selects (JSON); empty without the setting.
ALTER TABLE request ADD COLUMN summary text NOT NULL DEFAULT '';

-- The requests that were sent back to their requester.
CREATE INDEX request_sent_back ON request (requester_id, updated_ms, id) WHERE status = 'changes_requested';

-- The filters that a person keeps for the task list.
CREATE TABLE saved_filter (
  user_id    text NOT NULL,
  name       text NOT NULL,
  query      text NOT NULL, -- of the address of the list
  created_ms bigint NOT NULL,
  PRIMARY KEY (user_id, name)
);
