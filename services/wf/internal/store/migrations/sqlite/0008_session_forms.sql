-- Submitted forms of the pages.

-- +goose Up

-- A form of the pages that the next page shows again, such as one with an error.
CREATE TABLE session_form (
  session_id text NOT NULL REFERENCES session ON DELETE CASCADE,
  id         text NOT NULL,
  sealed     text NOT NULL, -- the form
  kept_ms    integer NOT NULL,
  PRIMARY KEY (session_id, id)
);
