ALTER TABLE models ADD COLUMN source text NOT NULL;
--> statement-breakpoint
ALTER TABLE models DROP CONSTRAINT models_pkey;
--> statement-breakpoint
ALTER TABLE models ADD PRIMARY KEY (source, id);
