ALTER TABLE usage_days ADD COLUMN reserved_tokens bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE usage_days ADD COLUMN reserved_micro_usd bigint NOT NULL DEFAULT 0;
