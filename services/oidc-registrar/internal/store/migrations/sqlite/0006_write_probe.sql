-- +goose Up

-- Where the service tries, while writes fail, whether they work again. It holds no row for long.
CREATE TABLE write_probe (
	id     TEXT PRIMARY KEY,
	filler TEXT NOT NULL
);
