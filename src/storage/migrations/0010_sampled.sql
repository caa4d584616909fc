ALTER TABLE turns ADD COLUMN sampled json;
