-- The object of a turn that was to end with one.
ALTER TABLE turns ADD COLUMN output json;
