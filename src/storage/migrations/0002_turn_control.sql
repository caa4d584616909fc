CREATE TABLE user_settings (
  user_id text PRIMARY KEY,
  settings json NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE notices (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  mark text NOT NULL,
  after_step integer NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  level text NOT NULL,
  text text NOT NULL,
  metadata json NOT NULL,
  seen_by_model boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (turn_id, mark)
);
--> statement-breakpoint
CREATE TABLE todos (
  session_id text PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  items json NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE compactions (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  through_turn_id text NOT NULL,
  reason text NOT NULL,
  summary text NOT NULL,
  usage json NOT NULL,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX compactions_by_session ON compactions (session_id, created_at);
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN end_note text;
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN agent_config json;
