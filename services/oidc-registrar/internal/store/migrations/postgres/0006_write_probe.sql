-- +goose Up

-- Where the service tries, while writes fail, whether they work again. It holds no row for long.
CREATE TABLE write_probe (
  id     text PRIMARY KEY,
  filler text NOT NULL
);
