CREATE TABLE data_keys (
  principal_id text PRIMARY KEY,
  id text NOT NULL,
  wrapped text NOT NULL,
  wrapped_by text NOT NULL,
  created_at timestamptz NOT NULL,
  wrapped_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX sessions_with_credentials ON sessions (id) WHERE mcp_servers IS NOT NULL;
