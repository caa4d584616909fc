ALTER TABLE turns ADD COLUMN discarded_usage json;
