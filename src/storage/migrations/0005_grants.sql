CREATE TABLE grants (
  id text PRIMARY KEY,
  principal_id text NOT NULL,
  issuer text NOT NULL,
  groups json NOT NULL,
  issued_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  renewed_at timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX grants_by_principal ON grants (principal_id);
--> statement-breakpoint
ALTER TABLE schedules ADD COLUMN grant_id text;
--> statement-breakpoint
ALTER TABLE principal_epochs ADD COLUMN access_ended_at timestamp with time zone;
