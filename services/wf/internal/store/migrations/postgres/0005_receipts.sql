-- Keys of receipts.

-- +goose Up

-- The public part of each key that signed receipts. A key verifies receipts until it is distrusted.
CREATE TABLE signing_key (
  kid           text PRIMARY KEY,
  public        text NOT NULL, -- base64url, the x of the JWK
  since_ms      bigint NOT NULL,
  distrusted_ms bigint NOT NULL DEFAULT 0
);
