ALTER TABLE turns ADD COLUMN attempts_in_vain integer NOT NULL DEFAULT 0;
