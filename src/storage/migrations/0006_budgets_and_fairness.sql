ALTER TABLE turns ADD COLUMN budget json;
--> statement-breakpoint
DROP INDEX turns_waiting_by_principal;
--> statement-breakpoint
CREATE INDEX turns_waiting_by_principal ON turns ((coalesce(options -> 'options' ->> 'priority', '') = 'background'), principal_id, created_at) WHERE status = 'queued';
