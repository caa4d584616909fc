-- The turn that a session's own turn is a replay of: the session goes with it.
ALTER TABLE sessions ADD COLUMN replay_of text REFERENCES turns ON DELETE CASCADE;
--> statement-breakpoint
CREATE INDEX sessions_by_replay ON sessions (replay_of) WHERE replay_of IS NOT NULL;
