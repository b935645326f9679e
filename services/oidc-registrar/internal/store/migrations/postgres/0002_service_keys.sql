-- +goose Up

-- Keys that the service makes for itself on first use, and all its processes share.
CREATE TABLE service_key (
	name TEXT PRIMARY KEY,
	key  TEXT NOT NULL -- base64
);
