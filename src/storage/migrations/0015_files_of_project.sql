ALTER TABLE sessions ADD COLUMN project_files text;
