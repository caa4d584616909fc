ALTER TABLE turns ADD COLUMN key_id text;
--> statement-breakpoint
CREATE TABLE usage_kept (
  day date NOT NULL,
  principal_id text NOT NULL,
  key_id text NOT NULL,
  agent text NOT NULL,
  model text NOT NULL,
  turns bigint NOT NULL,
  failed bigint NOT NULL,
  tokens bigint NOT NULL,
  micro_usd bigint NOT NULL,
  PRIMARY KEY (day, principal_id, key_id, agent, model)
);
--> statement-breakpoint
CREATE FUNCTION keep_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM gone WHERE usage IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  INSERT INTO usage_kept AS kept (day, principal_id, key_id, agent, model, turns, failed, tokens, micro_usd)
  SELECT (gone.created_at AT TIME ZONE 'UTC')::date, gone.principal_id, coalesce(gone.key_id, ''),
    coalesce(gone.options -> 'options' ->> 'persona', ''), coalesce(gone.options -> 'options' ->> 'model', ''),
    count(*), count(*) FILTER (WHERE gone.status = 'failed'),
    sum(coalesce((gone.usage ->> 'inputTokens')::bigint, 0) + coalesce((gone.usage ->> 'outputTokens')::bigint, 0)
      + coalesce((gone.usage ->> 'cacheReadTokens')::bigint, 0) + coalesce((gone.usage ->> 'cacheWriteTokens')::bigint, 0)),
    sum(round(coalesce((gone.usage ->> 'costUsd')::numeric, 0) * 1000000))::bigint
  FROM gone
  WHERE gone.usage IS NOT NULL AND gone.copied_from IS NULL AND gone.parent_turn_id IS NULL
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (day, principal_id, key_id, agent, model) DO UPDATE SET turns = kept.turns + excluded.turns, failed = kept.failed + excluded.failed,
    tokens = kept.tokens + excluded.tokens, micro_usd = kept.micro_usd + excluded.micro_usd;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER turns_usage_kept AFTER DELETE ON turns REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_usage();
