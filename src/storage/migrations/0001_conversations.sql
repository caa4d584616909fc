ALTER TABLE sessions ADD COLUMN head_turn_id text, ADD COLUMN head_worker text;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN preferred_worker text, ADD COLUMN preferred_until timestamptz;
--> statement-breakpoint
CREATE TABLE session_counts (
  shard integer PRIMARY KEY,
  sessions integer NOT NULL
);
--> statement-breakpoint
LOCK TABLE sessions IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
INSERT INTO session_counts (shard, sessions) SELECT shard, 0 FROM generate_series(1, 7) shard
  UNION ALL SELECT 0, count(*)::integer FROM sessions;
--> statement-breakpoint
CREATE FUNCTION count_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE session_counts SET sessions = sessions + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    WHERE shard = abs(pg_backend_pid()) % 8;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER session_counted AFTER INSERT OR DELETE ON sessions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_session();
