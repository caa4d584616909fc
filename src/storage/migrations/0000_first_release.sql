-- The schema of the first release. src/storage/*schema.ts says what the columns mean.
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
  updated_at timestamptz NOT NULL,
  agent_config json,
  expires_after_ms integer,
  principal_id text DEFAULT 'local' NOT NULL,
  parent_turn_id text,
  permissions json,
  mcp_servers json,
  prefix json,
  origin text DEFAULT 'harness' NOT NULL,
  client_name json,
  forked_from json,
  replay_of text,
  title text,
  head_turn_id text,
  head_worker text,
  project_files text,
  agents jsonb
);
--> statement-breakpoint
CREATE INDEX sessions_by_parent ON sessions (parent_turn_id) WHERE parent_turn_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX sessions_by_project ON sessions (project_root, created_at);
--> statement-breakpoint
CREATE INDEX sessions_by_replay ON sessions (replay_of) WHERE replay_of IS NOT NULL;
--> statement-breakpoint
CREATE INDEX sessions_by_use ON sessions (principal_id, updated_at, id) WHERE parent_turn_id IS NULL;
--> statement-breakpoint
CREATE INDEX sessions_expiring ON sessions (updated_at) WHERE expires_after_ms IS NOT NULL;
--> statement-breakpoint
CREATE INDEX sessions_with_credentials ON sessions (id) WHERE mcp_servers IS NOT NULL;
--> statement-breakpoint
CREATE TABLE turns (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  status text NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
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
  ended_at timestamptz,
  end_note text,
  delegation json,
  principal_id text DEFAULT 'local' NOT NULL,
  parent_turn_id text REFERENCES turns (id) ON DELETE CASCADE,
  parent_call_id text,
  child_terms json,
  goes_first boolean DEFAULT false NOT NULL,
  has_next boolean DEFAULT false NOT NULL,
  waiting_since timestamptz,
  waited_ms integer DEFAULT 0 NOT NULL,
  parked_attempt integer,
  joined_messages integer DEFAULT 0 NOT NULL,
  budget json,
  left_out text,
  elided_through integer DEFAULT 0 NOT NULL,
  discarded_usage json,
  attempts_in_vain integer DEFAULT 0 NOT NULL,
  traceparent text,
  tracestate text,
  last_traceparent text,
  copied_from text,
  replaces text,
  superseded_by text,
  output json,
  client_history text,
  preferred_worker text,
  preferred_until timestamptz,
  project_roots json,
  sampled json,
  key_id text,
  worker text,
  CONSTRAINT turns_status_check CHECK (status IN ('held', 'queued', 'running', 'waiting', 'completed', 'limited', 'interrupted', 'failed'))
);
--> statement-breakpoint
CREATE INDEX turns_active ON turns (status) WHERE status IN ('held', 'queued', 'running', 'waiting');
--> statement-breakpoint
CREATE INDEX turns_by_client_history ON turns (principal_id, client_history) WHERE client_history IS NOT NULL;
--> statement-breakpoint
CREATE INDEX turns_by_session ON turns (session_id, created_at);
--> statement-breakpoint
CREATE INDEX turns_held ON turns (session_id, created_at) WHERE status = 'held';
--> statement-breakpoint
CREATE UNIQUE INDEX turns_idempotency ON turns (session_id, idempotency_key);
--> statement-breakpoint
CREATE UNIQUE INDEX turns_one_active_per_session ON turns (session_id) WHERE status IN ('queued', 'running', 'waiting');
--> statement-breakpoint
CREATE UNIQUE INDEX turns_one_child_per_call ON turns (parent_turn_id, parent_call_id) WHERE parent_turn_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX turns_waiting_by_principal ON turns (((COALESCE(((options -> 'options') ->> 'priority'), '') = 'background')), principal_id, created_at) WHERE status = 'queued';
--> statement-breakpoint
CREATE INDEX turns_by_time ON turns (created_at, id);
--> statement-breakpoint
CREATE INDEX turns_by_principal ON turns (principal_id, created_at, id);
--> statement-breakpoint
CREATE INDEX turns_failed ON turns (created_at, id) WHERE status = 'failed';
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
CREATE INDEX messages_by_turn ON messages (turn_id);
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
  sent json,
  first_token_at timestamptz,
  model text,
  cache_broken text,
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
  status text NOT NULL,
  output json,
  duration_ms integer,
  claimed_at timestamptz NOT NULL,
  ended_at timestamptz,
  outcome text,
  files json,
  CONSTRAINT tool_calls_status_check CHECK (status IN ('claimed', 'success', 'error', 'denied', 'refused', 'unknown')),
  PRIMARY KEY (turn_id, call_id)
);
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
  output json,
  is_error boolean,
  files json,
  awaits json,
  round integer NOT NULL DEFAULT 1,
  question json,
  call_state text,
  CONSTRAINT approvals_decided_by_approvers CHECK (awaits IS NULL OR decision IS NULL OR decided_by IN ('approvers', 'deadline', 'server')),
  CONSTRAINT approvals_once UNIQUE (turn_id, call_id, kind, round)
);
--> statement-breakpoint
CREATE INDEX approvals_by_session ON approvals (session_id, created_at);
--> statement-breakpoint
CREATE INDEX approvals_open ON approvals (expires_at) WHERE decision IS NULL;
--> statement-breakpoint
CREATE INDEX approvals_unapplied ON approvals (turn_id) WHERE ((decision IS NOT NULL) AND (applied_attempt IS NULL));
--> statement-breakpoint
CREATE INDEX approvals_awaited ON approvals (created_at, id) WHERE decision IS NULL AND awaits IS NOT NULL;
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
  created_at timestamptz NOT NULL,
  project_roots json,
  mints text,
  approves json
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
CREATE TABLE blob_chunks (
  content_id text NOT NULL,
  "position" integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (content_id, "position")
);
--> statement-breakpoint
ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE TABLE blob_writes (
  content_id text PRIMARY KEY,
  started_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE blobs (
  sha256 text PRIMARY KEY,
  size integer NOT NULL,
  content_id text NOT NULL,
  touched_at timestamptz NOT NULL
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
CREATE TABLE extractions (
  sha256 text NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  method text NOT NULL,
  outcome json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (sha256, method)
);
--> statement-breakpoint
CREATE TABLE feedback (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  key text NOT NULL,
  principal_id text NOT NULL,
  value json NOT NULL,
  comment text,
  message_id text,
  agent text NOT NULL,
  model text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (turn_id, key, principal_id)
);
--> statement-breakpoint
CREATE INDEX feedback_by_principal ON feedback (principal_id, created_at, turn_id, key);
--> statement-breakpoint
CREATE TABLE joined_messages (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  "position" integer NOT NULL,
  text json NOT NULL,
  request_hash text NOT NULL,
  idempotency_key text,
  after_step integer,
  created_at timestamptz NOT NULL,
  client_id json,
  CONSTRAINT joined_messages_session_id_idempotency_key_key UNIQUE (session_id, idempotency_key),
  CONSTRAINT joined_messages_turn_id_position_key UNIQUE (turn_id, "position")
);
--> statement-breakpoint
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
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (principal_id, agent, path),
  CONSTRAINT memory_files_principal_id_agent_fkey FOREIGN KEY (principal_id, agent) REFERENCES memories (principal_id, agent) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX memory_files_by_time ON memory_files (updated_at);
--> statement-breakpoint
CREATE TABLE memory_seen (
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  agent text NOT NULL,
  path text NOT NULL,
  version integer NOT NULL,
  PRIMARY KEY (session_id, agent, path)
);
--> statement-breakpoint
CREATE TABLE models (
  id text NOT NULL,
  described json NOT NULL,
  described_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (source, id)
);
--> statement-breakpoint
CREATE TABLE notices (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  mark text NOT NULL,
  after_step integer NOT NULL,
  "position" integer NOT NULL,
  kind text NOT NULL,
  level text NOT NULL,
  text text NOT NULL,
  metadata json NOT NULL,
  seen_by_model boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (turn_id, mark)
);
--> statement-breakpoint
CREATE TABLE reader_processes (
  process_id text PRIMARY KEY,
  stored_at timestamptz NOT NULL,
  away_until timestamptz
);
--> statement-breakpoint
CREATE TABLE schedules (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  key text NOT NULL,
  key_id text,
  cron text NOT NULL,
  tz text NOT NULL,
  session_id text,
  agent text,
  project_root text,
  message json NOT NULL,
  opts json,
  overlap text NOT NULL,
  catch_up_ms integer NOT NULL,
  next_at timestamptz NOT NULL,
  leased_until timestamptz,
  revision integer DEFAULT 1 NOT NULL,
  paused_at timestamptz,
  pause_reason text,
  failures_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  grant_id text
);
--> statement-breakpoint
CREATE UNIQUE INDEX schedules_by_key ON schedules (principal_id, key);
--> statement-breakpoint
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused_at IS NULL;
--> statement-breakpoint
CREATE TABLE schedule_runs (
  id text PRIMARY KEY,
  schedule_id text NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
  cause text NOT NULL,
  slot timestamptz NOT NULL,
  trigger_key text,
  outcome text NOT NULL,
  turn_id text,
  session_id text,
  error json,
  missed integer,
  missed_until timestamptz,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX schedule_runs_by_time ON schedule_runs (schedule_id, id);
--> statement-breakpoint
CREATE INDEX schedule_runs_by_turn ON schedule_runs (turn_id) WHERE turn_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX schedule_runs_old ON schedule_runs (created_at);
--> statement-breakpoint
CREATE UNIQUE INDEX schedule_runs_one_per_slot ON schedule_runs (schedule_id, slot) WHERE cause = 'slot';
--> statement-breakpoint
CREATE UNIQUE INDEX schedule_runs_one_per_trigger ON schedule_runs (schedule_id, trigger_key);
--> statement-breakpoint
CREATE TABLE schema_contracts (
  migration text PRIMARY KEY,
  least_version text NOT NULL
);
--> statement-breakpoint
CREATE TABLE session_blobs (
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sha256 text NOT NULL REFERENCES blobs (sha256),
  PRIMARY KEY (session_id, sha256)
);
--> statement-breakpoint
CREATE INDEX session_blobs_by_content ON session_blobs (sha256);
--> statement-breakpoint
CREATE TABLE session_grants (
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  rule text NOT NULL,
  approval_id text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (session_id, rule)
);
--> statement-breakpoint
CREATE TABLE todos (
  session_id text PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  items json NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE turn_archives (
  turn_id text NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  attempt integer NOT NULL,
  first_seq integer NOT NULL,
  events json NOT NULL,
  PRIMARY KEY (turn_id, attempt, first_seq)
);
--> statement-breakpoint
CREATE TABLE turn_readers (
  turn_id text NOT NULL,
  process_id text NOT NULL,
  until timestamptz NOT NULL,
  has_left boolean NOT NULL,
  PRIMARY KEY (turn_id, process_id)
);
--> statement-breakpoint
CREATE INDEX turn_readers_until ON turn_readers (until);
--> statement-breakpoint
CREATE TABLE uploads (
  id text PRIMARY KEY,
  sha256 text NOT NULL REFERENCES blobs (sha256),
  name text NOT NULL,
  mime_type text NOT NULL,
  size integer NOT NULL,
  changed text,
  created_at timestamptz NOT NULL,
  principal_id text DEFAULT 'local' NOT NULL
);
--> statement-breakpoint
CREATE INDEX uploads_by_content ON uploads (sha256);
--> statement-breakpoint
CREATE TABLE usage_days (
  principal_id text NOT NULL,
  day date NOT NULL,
  tokens bigint DEFAULT 0 NOT NULL,
  micro_usd bigint DEFAULT 0 NOT NULL,
  reserved_tokens bigint DEFAULT 0 NOT NULL,
  reserved_micro_usd bigint DEFAULT 0 NOT NULL,
  PRIMARY KEY (principal_id, day)
);
--> statement-breakpoint
CREATE TABLE user_settings (
  user_id text PRIMARY KEY,
  settings json NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE webhook_deliveries (
  endpoint_id text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  turn_id text,
  session_id text,
  parent_turn_id text,
  facts json NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  next_at timestamptz NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  tried_at timestamptz,
  http_status integer,
  error text,
  response json,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (endpoint_id, id)
);
--> statement-breakpoint
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (endpoint_id, created_at, id);
--> statement-breakpoint
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (endpoint_id, created_at, id) WHERE status = 'dead';
--> statement-breakpoint
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);
--> statement-breakpoint
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id, next_at) WHERE status = 'pending';
--> statement-breakpoint
CREATE TABLE webhook_endpoints (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  events text[],
  enabled boolean NOT NULL,
  disabled_reason text,
  secret text NOT NULL,
  previous_secret text,
  previous_until timestamptz,
  failing_since timestamptz,
  paused_until timestamptz,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX webhook_endpoints_by_principal ON webhook_endpoints (principal_id);
--> statement-breakpoint
CREATE TABLE session_counts (
  shard integer PRIMARY KEY,
  sessions integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE principal_epochs (
  principal_hash text PRIMARY KEY,
  epoch integer NOT NULL,
  raised_at timestamptz NOT NULL,
  access_ended_at timestamptz
);
--> statement-breakpoint
CREATE TABLE server_secrets (
  name text PRIMARY KEY,
  secret text NOT NULL,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE data_keys (
  principal_id text PRIMARY KEY,
  id text NOT NULL,
  wrapped text NOT NULL,
  wrapped_by text NOT NULL,
  created_at timestamptz NOT NULL,
  wrapped_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE grants (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  issuer text NOT NULL,
  groups json NOT NULL,
  issued_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX grants_by_principal ON grants (principal_id);
--> statement-breakpoint
CREATE TABLE approval_answers (
  approval_id text NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
  principal_id text NOT NULL,
  decision text NOT NULL,
  roles json NOT NULL,
  digest text NOT NULL,
  credential json NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (approval_id, principal_id, decision)
);
--> statement-breakpoint
CREATE INDEX approval_answers_by_principal ON approval_answers (principal_id);
--> statement-breakpoint
CREATE TABLE logins (
  id text PRIMARY KEY,
  secret_hash text NOT NULL UNIQUE,
  principal_id text NOT NULL,
  issuer text NOT NULL,
  name text NOT NULL,
  groups json NOT NULL,
  issued_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX logins_by_principal ON logins (principal_id);
--> statement-breakpoint
CREATE TABLE mcp_logins (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  name text NOT NULL,
  server text NOT NULL,
  issuer text NOT NULL,
  tokens text NOT NULL,
  version integer NOT NULL,
  refreshing_until timestamptz,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX mcp_logins_by_server ON mcp_logins (principal_id, server, issuer);
--> statement-breakpoint
CREATE TABLE mcp_begun_logins (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  flow text NOT NULL,
  expires_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX mcp_begun_logins_by_principal ON mcp_begun_logins (principal_id);
--> statement-breakpoint
CREATE TABLE mcp_clients (
  id text PRIMARY KEY,
  issuer text NOT NULL,
  client text NOT NULL,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE usage_kept (
  day date NOT NULL,
  principal_id text NOT NULL,
  key_id text NOT NULL,
  agent text NOT NULL,
  model text NOT NULL,
  turns bigint NOT NULL,
  failed bigint NOT NULL,
  tokens bigint NOT NULL,
  micro_usd bigint NOT NULL,
  PRIMARY KEY (day, principal_id, key_id, agent, model)
);
--> statement-breakpoint
ALTER TABLE sessions ADD CONSTRAINT sessions_parent_turn_id_fkey FOREIGN KEY (parent_turn_id) REFERENCES turns (id) ON DELETE CASCADE;
--> statement-breakpoint
ALTER TABLE sessions ADD CONSTRAINT sessions_replay_of_fkey FOREIGN KEY (replay_of) REFERENCES turns (id) ON DELETE CASCADE;
--> statement-breakpoint
INSERT INTO session_counts (shard, sessions) SELECT shard, 0 FROM generate_series(0, 7) shard;
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
--> statement-breakpoint
CREATE FUNCTION keep_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM gone WHERE usage IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  INSERT INTO usage_kept AS kept (day, principal_id, key_id, agent, model, turns, failed, tokens, micro_usd)
  SELECT (gone.created_at AT TIME ZONE 'UTC')::date, gone.principal_id, coalesce(gone.key_id, ''),
    coalesce(gone.options -> 'options' ->> 'persona', ''), coalesce(gone.options -> 'options' ->> 'model', ''),
    count(*), count(*) FILTER (WHERE gone.status = 'failed'),
    sum(coalesce((gone.usage ->> 'inputTokens')::bigint, 0) + coalesce((gone.usage ->> 'outputTokens')::bigint, 0)
      + coalesce((gone.usage ->> 'cacheReadTokens')::bigint, 0) + coalesce((gone.usage ->> 'cacheWriteTokens')::bigint, 0)),
    sum(round(coalesce((gone.usage ->> 'costUsd')::numeric, 0) * 1000000))::bigint
  FROM gone
  WHERE gone.usage IS NOT NULL AND gone.copied_from IS NULL AND gone.parent_turn_id IS NULL
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (day, principal_id, key_id, agent, model) DO UPDATE SET turns = kept.turns + excluded.turns, failed = kept.failed + excluded.failed,
    tokens = kept.tokens + excluded.tokens, micro_usd = kept.micro_usd + excluded.micro_usd;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER turns_usage_kept AFTER DELETE ON turns REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_usage();
