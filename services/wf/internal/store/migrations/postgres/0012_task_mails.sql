-- Mails about several tasks.

-- +goose Up

-- The tasks that the next mail to a person lists. digest_id is 'collecting' until the mail has a delivery.
CREATE INDEX notice_item_collecting ON notice_item (at_ms, user_id) WHERE digest_id = 'collecting';
