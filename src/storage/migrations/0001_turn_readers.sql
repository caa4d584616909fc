CREATE TABLE turn_readers (
  turn_id text NOT NULL,
  process_id text NOT NULL,
  until timestamptz NOT NULL,
  has_left boolean NOT NULL,
  PRIMARY KEY (turn_id, process_id)
);
--> statement-breakpoint
CREATE INDEX turn_readers_until ON turn_readers (until);
