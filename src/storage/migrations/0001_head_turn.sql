ALTER TABLE sessions ADD COLUMN head_turn_id text;
