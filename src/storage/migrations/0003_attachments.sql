CREATE TABLE blobs (
  sha256 text PRIMARY KEY,
  size integer NOT NULL,
  content_id text NOT NULL,
  touched_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE blob_writes (
  content_id text PRIMARY KEY,
  started_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE TABLE blob_chunks (
  content_id text NOT NULL,
  position integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (content_id, position)
);
--> statement-breakpoint
ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE TABLE session_blobs (
  session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  sha256 text NOT NULL REFERENCES blobs (sha256),
  PRIMARY KEY (session_id, sha256)
);
--> statement-breakpoint
CREATE INDEX session_blobs_by_content ON session_blobs (sha256);
--> statement-breakpoint
CREATE TABLE uploads (
  id text PRIMARY KEY,
  sha256 text NOT NULL REFERENCES blobs (sha256),
  name text NOT NULL,
  mime_type text NOT NULL,
  size integer NOT NULL,
  changed text,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX uploads_by_content ON uploads (sha256);
--> statement-breakpoint
CREATE TABLE extractions (
  sha256 text NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  method text NOT NULL,
  outcome json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (sha256, method)
);
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN expires_after_ms integer;
--> statement-breakpoint
CREATE INDEX sessions_expiring ON sessions (updated_at) WHERE expires_after_ms IS NOT NULL;
