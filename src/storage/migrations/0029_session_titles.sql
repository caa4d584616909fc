-- The title that a user gave a session; null: the beginning of its first message.
ALTER TABLE sessions ADD COLUMN title text;
