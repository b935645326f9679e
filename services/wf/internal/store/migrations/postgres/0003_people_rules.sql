-- The people rules of a stage.

-- +goose Up

-- computed: JSON, the values of the stage's expressions over the content, written with the run.
-- barred: JSON, the ids of the people that the exclude rules yielded at the start of the run.
ALTER TABLE stage_run ADD COLUMN computed text NOT NULL DEFAULT '';
ALTER TABLE stage_run ADD COLUMN barred text NOT NULL DEFAULT '';
