-- +goose Up

-- Requests are searched by a part of their title or artifact id, which never change.
CREATE VIRTUAL TABLE request_search USING fts5 (text, request_id UNINDEXED, tokenize = 'trigram');
INSERT INTO request_search (text, request_id) SELECT title || char(10) || artifact_id, id FROM request;
-- +goose StatementBegin
CREATE TRIGGER request_searched AFTER INSERT ON request BEGIN
  INSERT INTO request_search (text, request_id) VALUES (NEW.title || char(10) || NEW.artifact_id, NEW.id);
END;
-- +goose StatementEnd
