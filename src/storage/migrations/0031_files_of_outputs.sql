-- Files in the outputs of tools, by reference: their bytes are kept as those of messages are. Null: none.
ALTER TABLE tool_calls ADD COLUMN files json;
--> statement-breakpoint
ALTER TABLE approvals ADD COLUMN files json;
