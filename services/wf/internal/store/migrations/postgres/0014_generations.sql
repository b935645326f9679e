-- Detection of lost writes; see package heartbeat.

-- +goose Up

-- The last heartbeat that a process, or the file of its mark, knows as committed.
CREATE TABLE witness (
  id      text PRIMARY KEY,
  beats   bigint NOT NULL,
  seen_ms bigint NOT NULL
);

-- A generation of the data ends with a loss of committed writes. Without a row the generation is 1.
CREATE TABLE generation (
  number     bigint PRIMARY KEY,
  started_ms bigint NOT NULL,
  held_ms    bigint NOT NULL, -- since then outbound calls are held, because writes are lost; 0 if not
  found      text NOT NULL    -- description of the loss
);
