-- The order of task lists by due date. Tasks without a date have no entries.

-- +goose Up

CREATE INDEX task_due ON task (status, due_ms, created_ms, id) WHERE due_ms > 0;
CREATE INDEX task_assignee_due ON task (assignee_id, status, due_ms, created_ms, id) WHERE assignee_id <> '' AND due_ms > 0;
CREATE INDEX inbox_due ON inbox (user_id, role, due_ms, created_ms, task_id) WHERE due_ms > 0;
