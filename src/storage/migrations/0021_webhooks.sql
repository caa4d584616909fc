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
  previous_until timestamp with time zone,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  created_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX webhook_endpoints_by_principal ON webhook_endpoints (principal_id);
--> statement-breakpoint
CREATE TABLE webhook_deliveries (
  endpoint_id text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  turn_id text,
  session_id text,
  parent_turn_id text,
  facts json NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  next_at timestamp with time zone NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  tried_at timestamp with time zone,
  http_status integer,
  error text,
  response json,
  created_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  PRIMARY KEY (endpoint_id, id)
);
--> statement-breakpoint
-- The sender goes from one endpoint that has something to send to the next.
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id, next_at) WHERE status = 'pending';
--> statement-breakpoint
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (endpoint_id, created_at, id);
--> statement-breakpoint
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (endpoint_id, created_at, id) WHERE status = 'dead';
--> statement-breakpoint
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);
