ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_status_check;
--> statement-breakpoint
-- A JSON string as it is stored: one with \u0000 in it cannot be decoded.
UPDATE tool_calls SET status = 'refused' WHERE status = 'denied' AND output::text LIKE '"not run:%';
--> statement-breakpoint
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_status_check CHECK (status IN ('claimed', 'success', 'error', 'denied', 'refused', 'unknown'));
