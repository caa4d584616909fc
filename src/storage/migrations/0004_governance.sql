ALTER TABLE turns ADD COLUMN delegation json;
