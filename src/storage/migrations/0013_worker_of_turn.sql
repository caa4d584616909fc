ALTER TABLE turns ADD COLUMN worker text;
