CREATE TABLE reader_processes (
  process_id text PRIMARY KEY,
  stored_at timestamptz NOT NULL,
  away_until timestamptz
);
