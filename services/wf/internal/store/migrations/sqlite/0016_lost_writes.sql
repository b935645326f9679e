-- The lost writes of the processes; see package heartbeat.

-- +goose Up

-- An event that a process knows as committed and that the database does not have, or a message that was sent for it.
CREATE TABLE lost_write (
  process     text NOT NULL,
  number      integer NOT NULL, -- of the write in the process
  generation  integer NOT NULL, -- that ended with the loss
  about       text NOT NULL,   -- object of the event
  at_ms       integer NOT NULL, -- time of the event
  sent        integer NOT NULL, -- a message or a call
  description text NOT NULL,
  PRIMARY KEY (process, number)
);
