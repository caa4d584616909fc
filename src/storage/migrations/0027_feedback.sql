CREATE TABLE feedback (
  turn_id text NOT NULL REFERENCES turns ON DELETE CASCADE,
  key text NOT NULL,
  principal_id text NOT NULL,
  value json NOT NULL,
  comment text,
  message_id text,
  agent text NOT NULL,
  model text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  PRIMARY KEY (turn_id, key, principal_id)
);
--> statement-breakpoint
CREATE INDEX feedback_by_principal ON feedback (principal_id, created_at, turn_id, key);
