ALTER TABLE approvals ADD COLUMN round integer NOT NULL DEFAULT 1;
--> statement-breakpoint
ALTER TABLE approvals ADD COLUMN question json;
--> statement-breakpoint
ALTER TABLE approvals ADD COLUMN call_state text;
--> statement-breakpoint
ALTER TABLE approvals ADD CONSTRAINT approvals_once UNIQUE (turn_id, call_id, kind, round);
--> statement-breakpoint
ALTER TABLE approvals DROP CONSTRAINT approvals_turn_id_call_id_kind_key;
