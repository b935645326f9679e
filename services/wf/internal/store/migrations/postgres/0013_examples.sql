-- Examples of requests, which the policy editor simulates.

-- +goose Up

ALTER TABLE policy ADD COLUMN examples text NOT NULL DEFAULT ''; -- JSON; empty without examples
