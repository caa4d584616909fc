CREATE TABLE memories (
  principal_id text NOT NULL,
  agent text NOT NULL,
  revision integer NOT NULL,
  PRIMARY KEY (principal_id, agent)
);
--> statement-breakpoint
CREATE TABLE memory_files (
  principal_id text NOT NULL,
  agent text NOT NULL,
  path text NOT NULL,
  version integer NOT NULL,
  content text NOT NULL,
  bytes integer NOT NULL,
  turn_id text,
  call_id text,
  updated_at timestamp with time zone NOT NULL,
  PRIMARY KEY (principal_id, agent, path),
  FOREIGN KEY (principal_id, agent) REFERENCES memories ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX memory_files_by_time ON memory_files (updated_at);
--> statement-breakpoint
CREATE TABLE memory_seen (
  session_id text NOT NULL REFERENCES sessions ON DELETE CASCADE,
  agent text NOT NULL,
  path text NOT NULL,
  version integer NOT NULL,
  PRIMARY KEY (session_id, agent, path)
);
--> statement-breakpoint
-- What a call that was stored with its effect came to, before its end is stored with its event.
ALTER TABLE tool_calls ADD COLUMN outcome text;
