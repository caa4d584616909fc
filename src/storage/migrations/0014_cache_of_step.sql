ALTER TABLE steps ADD COLUMN model text;
--> statement-breakpoint
ALTER TABLE steps ADD COLUMN cache_broken text;
