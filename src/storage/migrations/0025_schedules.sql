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
  next_at timestamp with time zone NOT NULL,
  leased_until timestamp with time zone,
  revision integer NOT NULL DEFAULT 1,
  paused_at timestamp with time zone,
  pause_reason text,
  failures_from timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL
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
  slot timestamp with time zone NOT NULL,
  trigger_key text,
  outcome text NOT NULL,
  turn_id text,
  session_id text,
  error json,
  missed integer,
  missed_until timestamp with time zone,
  created_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- A slot has one outcome, whatever the clocks of the processes say.
CREATE UNIQUE INDEX schedule_runs_one_per_slot ON schedule_runs (schedule_id, slot) WHERE cause = 'slot';
--> statement-breakpoint
CREATE UNIQUE INDEX schedule_runs_one_per_trigger ON schedule_runs (schedule_id, trigger_key);
--> statement-breakpoint
CREATE INDEX schedule_runs_by_time ON schedule_runs (schedule_id, id);
--> statement-breakpoint
CREATE INDEX schedule_runs_old ON schedule_runs (created_at);
--> statement-breakpoint
CREATE INDEX schedule_runs_by_turn ON schedule_runs (turn_id) WHERE turn_id IS NOT NULL;
