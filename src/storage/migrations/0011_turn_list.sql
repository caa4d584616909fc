ALTER TABLE steps ADD COLUMN first_token_at timestamp with time zone;
--> statement-breakpoint
CREATE INDEX turns_by_time ON turns USING btree (created_at, id);
--> statement-breakpoint
CREATE INDEX turns_by_principal ON turns USING btree (principal_id, created_at, id);
--> statement-breakpoint
CREATE INDEX turns_failed ON turns USING btree (created_at, id) WHERE status = 'failed';
