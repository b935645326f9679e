-- +goose Up

-- Whether access_token is sealed with a key of REGISTRAR_ENC_KEYS. Those of before are in
-- clear until oidc-registrar rekey, or the next change of the client.
ALTER TABLE provider_record ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT false;
