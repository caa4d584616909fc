CREATE INDEX sessions_by_use ON sessions (principal_id, updated_at, id) WHERE parent_turn_id IS NULL;
