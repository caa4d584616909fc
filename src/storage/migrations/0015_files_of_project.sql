ALTER TABLE sessions ADD COLUMN project_files text;
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN agents jsonb;
