-- +goose Up

-- What an endpoint is sent: empty for events, or the chat whose channel it is. The sealed
-- secret of a chat is its URL, and url has what may be shown of that.
ALTER TABLE endpoint ADD COLUMN format text NOT NULL DEFAULT '';
