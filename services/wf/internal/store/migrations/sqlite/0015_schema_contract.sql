-- Programs of earlier versions serve calls on a newer schema, until a contract.

-- +goose Up

-- A migration that removes objects adds a row: programs of a lower schema version cannot use this database.
CREATE TABLE schema_contract (
  version integer PRIMARY KEY
);
