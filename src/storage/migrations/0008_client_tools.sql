ALTER TABLE approvals ADD COLUMN output json;
--> statement-breakpoint
ALTER TABLE approvals ADD COLUMN is_error boolean;
