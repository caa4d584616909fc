ALTER TABLE sessions ADD COLUMN principal_id text NOT NULL DEFAULT 'local';
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN parent_turn_id text REFERENCES turns (id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN permissions json;
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN mcp_servers json;
--> statement-breakpoint
CREATE INDEX sessions_by_parent ON sessions (parent_turn_id) WHERE parent_turn_id IS NOT NULL;
--> statement-breakpoint
ALTER TABLE uploads ADD COLUMN principal_id text NOT NULL DEFAULT 'local';
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN principal_id text NOT NULL DEFAULT 'local';
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN parent_turn_id text REFERENCES turns (id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN parent_call_id text;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN child_terms json;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN goes_first boolean NOT NULL DEFAULT false;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN has_next boolean NOT NULL DEFAULT false;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN waiting_since timestamptz;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN waited_ms integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN parked_attempt integer;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN joined_messages integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE turns DROP CONSTRAINT turns_status_check;
--> statement-breakpoint
ALTER TABLE turns ADD CONSTRAINT turns_status_check CHECK (status IN ('held', 'queued', 'running', 'waiting', 'completed', 'limited', 'interrupted', 'failed'));
--> statement-breakpoint
DROP INDEX turns_one_active_per_session;
--> statement-breakpoint
CREATE UNIQUE INDEX turns_one_active_per_session ON turns (session_id) WHERE status IN ('queued', 'running', 'waiting');
--> statement-breakpoint
DROP INDEX turns_active;
--> statement-breakpoint
CREATE INDEX turns_active ON turns (status) WHERE status IN ('held', 'queued', 'running', 'waiting');
--> statement-breakpoint
CREATE INDEX turns_held ON turns (session_id, created_at) WHERE status = 'held';
--> statement-breakpoint
CREATE UNIQUE INDEX turns_one_child_per_call ON turns (parent_turn_id, parent_call_id) WHERE parent_turn_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE approvals (
  id text PRIMARY KEY,
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  call_id text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  input json NOT NULL,
  reason text NOT NULL,
  decision text,
  decided_by text,
  message text,
  edited_input json,
  grant_rule text,
  on_timeout text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  applied_attempt integer,
  UNIQUE (turn_id, call_id, kind)
);
--> statement-breakpoint
CREATE INDEX approvals_open ON approvals (expires_at) WHERE decision IS NULL;
--> statement-breakpoint
CREATE INDEX approvals_unapplied ON approvals (turn_id) WHERE decision IS NOT NULL AND applied_attempt IS NULL;
--> statement-breakpoint
CREATE INDEX approvals_by_session ON approvals (session_id, created_at);
--> statement-breakpoint
CREATE TABLE session_grants (
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  rule text NOT NULL,
  approval_id text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (session_id, rule)
);
--> statement-breakpoint
CREATE TABLE joined_messages (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  position integer NOT NULL,
  text text NOT NULL,
  request_hash text NOT NULL,
  idempotency_key text,
  after_step integer,
  created_at timestamptz NOT NULL,
  UNIQUE (turn_id, position),
  UNIQUE (session_id, idempotency_key)
);
--> statement-breakpoint
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  name text NOT NULL,
  secret_hash text NOT NULL UNIQUE,
  scopes json NOT NULL,
  limits json NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE usage_days (
  principal_id text NOT NULL,
  day date NOT NULL,
  tokens bigint NOT NULL DEFAULT 0,
  micro_usd bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (principal_id, day)
);
--> statement-breakpoint
CREATE TABLE audit_log (
  id text PRIMARY KEY,
  at timestamptz NOT NULL,
  principal_id text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  details json NOT NULL
);
--> statement-breakpoint
CREATE INDEX audit_log_by_time ON audit_log (at);
--> statement-breakpoint
CREATE INDEX turns_waiting_by_principal ON turns (principal_id, created_at) WHERE status = 'queued';
