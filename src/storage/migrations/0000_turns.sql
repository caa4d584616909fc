CREATE TABLE sessions (
  id text PRIMARY KEY,
  project_root text NOT NULL,
  persona text NOT NULL,
  mode text NOT NULL,
  claude_session_id text,
  boot_fingerprint text,
  booted_at timestamptz,
  model text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX sessions_by_project ON sessions (project_root, created_at);
--> statement-breakpoint
CREATE TABLE turns (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'limited', 'interrupted', 'failed')),
  attempt integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  request json NOT NULL,
  request_hash text NOT NULL,
  idempotency_key text,
  options json NOT NULL,
  usage json,
  exit_code integer,
  end_reason text,
  failure json,
  cancel_requested_at timestamptz,
  cancel_reason text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz
);
--> statement-breakpoint
CREATE UNIQUE INDEX turns_one_active_per_session ON turns (session_id) WHERE status IN ('queued', 'running');
--> statement-breakpoint
CREATE UNIQUE INDEX turns_idempotency ON turns (session_id, idempotency_key);
--> statement-breakpoint
CREATE INDEX turns_by_session ON turns (session_id, created_at);
--> statement-breakpoint
CREATE INDEX turns_active ON turns (status) WHERE status IN ('queued', 'running');
--> statement-breakpoint
CREATE TABLE messages (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  role text NOT NULL,
  parts json NOT NULL,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX messages_by_session ON messages (session_id, created_at);
--> statement-breakpoint
CREATE TABLE steps (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  step integer NOT NULL,
  attempt integer NOT NULL,
  parts json NOT NULL,
  stop_reason text NOT NULL,
  usage json NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (turn_id, step)
);
--> statement-breakpoint
CREATE TABLE tool_calls (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  call_id text NOT NULL,
  step integer NOT NULL,
  attempt integer NOT NULL,
  name text NOT NULL,
  input json NOT NULL,
  status text NOT NULL CHECK (status IN ('claimed', 'success', 'error', 'denied', 'unknown')),
  output json,
  duration_ms integer,
  claimed_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (turn_id, call_id)
);
--> statement-breakpoint
CREATE TABLE turn_archives (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  attempt integer NOT NULL,
  first_seq integer NOT NULL,
  events json NOT NULL,
  PRIMARY KEY (turn_id, attempt, first_seq)
);
