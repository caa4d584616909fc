CREATE TABLE mcp_logins (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  name text NOT NULL,
  server text NOT NULL,
  issuer text NOT NULL,
  tokens text NOT NULL,
  version integer NOT NULL,
  refreshing_until timestamp with time zone,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  renewed_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX mcp_logins_by_server ON mcp_logins (principal_id, server, issuer);
--> statement-breakpoint
CREATE TABLE mcp_begun_logins (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  flow text NOT NULL,
  expires_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX mcp_begun_logins_by_principal ON mcp_begun_logins (principal_id);
--> statement-breakpoint
CREATE TABLE mcp_clients (
  id text PRIMARY KEY,
  issuer text NOT NULL,
  client text NOT NULL,
  created_at timestamp with time zone NOT NULL
);
