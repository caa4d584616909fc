ALTER TABLE api_keys ADD COLUMN project_roots json;
