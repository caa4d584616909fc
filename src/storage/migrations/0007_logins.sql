CREATE TABLE logins (
  id text PRIMARY KEY,
  secret_hash text NOT NULL UNIQUE,
  principal_id text NOT NULL,
  issuer text NOT NULL,
  name text NOT NULL,
  groups json NOT NULL,
  issued_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX logins_by_principal ON logins (principal_id);
