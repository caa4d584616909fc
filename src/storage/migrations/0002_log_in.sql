ALTER TABLE turns ADD COLUMN project_roots json;
