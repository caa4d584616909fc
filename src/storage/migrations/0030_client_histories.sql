-- Digest of the conversation up to a turn's message, where the client sends the whole of it with each request.
ALTER TABLE turns ADD COLUMN client_history text;
--> statement-breakpoint
CREATE INDEX turns_by_client_history ON turns (principal_id, client_history) WHERE client_history IS NOT NULL;
