ALTER TABLE approvals ADD COLUMN awaits json;
--> statement-breakpoint
ALTER TABLE approvals ADD CONSTRAINT approvals_decided_by_approvers
  CHECK (awaits IS NULL OR decision IS NULL OR decided_by IN ('approvers', 'deadline', 'server'));
--> statement-breakpoint
CREATE INDEX approvals_awaited ON approvals (created_at, id)
  WHERE decision IS NULL AND awaits IS NOT NULL;
--> statement-breakpoint
CREATE TABLE approval_answers (
  approval_id text NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
  principal_id text NOT NULL,
  decision text NOT NULL,
  roles json NOT NULL,
  digest text NOT NULL,
  credential json NOT NULL,
  at timestamp with time zone NOT NULL,
  PRIMARY KEY (approval_id, principal_id, decision)
);
--> statement-breakpoint
CREATE INDEX approval_answers_by_principal ON approval_answers (principal_id);
--> statement-breakpoint
ALTER TABLE api_keys ADD COLUMN approves json;
