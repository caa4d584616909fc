CREATE INDEX messages_by_turn ON messages (turn_id);
--> statement-breakpoint
ALTER TABLE joined_messages ALTER COLUMN text TYPE json USING to_json(text);
