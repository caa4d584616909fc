-- Ids that clients gave: of a conversation, and of a message that was steered into a turn.
ALTER TABLE sessions ADD COLUMN client_name json;
--> statement-breakpoint
ALTER TABLE joined_messages ADD COLUMN client_id json;
