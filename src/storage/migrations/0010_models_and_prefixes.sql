CREATE TABLE models (
  id text PRIMARY KEY,
  described json NOT NULL,
  described_at timestamptz NOT NULL
);
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN prefix json;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN left_out text;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN elided_through integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE steps ADD COLUMN sent json;
