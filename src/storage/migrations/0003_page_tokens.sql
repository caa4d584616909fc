ALTER TABLE api_keys ADD COLUMN mints text;
--> statement-breakpoint
CREATE TABLE principal_epochs (
  principal_hash text PRIMARY KEY,
  epoch integer NOT NULL,
  raised_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE server_secrets (
  name text PRIMARY KEY,
  secret text NOT NULL,
  created_at timestamp with time zone NOT NULL
);
