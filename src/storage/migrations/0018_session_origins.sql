ALTER TABLE sessions ADD COLUMN origin text NOT NULL DEFAULT 'harness';
--> statement-breakpoint
UPDATE sessions SET mode = 'direct', origin = CASE mode WHEN 'oracle' THEN 'oracle' ELSE 'named-agents' END
WHERE mode IN ('oracle', 'agent');
--> statement-breakpoint
-- The id of a thread's session is made of the client's name for it: a UUID of version 5.
UPDATE sessions SET mode = 'direct', origin = CASE
  WHEN EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.id AND idempotency_key LIKE 'ag-ui:%') THEN 'ag-ui'
  ELSE 'ai-sdk'
END
WHERE mode = 'thread' OR id LIKE 'sess\_________-____-5%';
--> statement-breakpoint
UPDATE sessions SET origin = parents.origin
FROM turns JOIN sessions parents ON parents.id = turns.session_id
WHERE turns.id = sessions.parent_turn_id;
--> statement-breakpoint
-- As text: a tool's description may hold characters that the database takes in no text. Such a session's next
-- request begins anew.
UPDATE sessions SET prefix = NULL
WHERE prefix::text ~ '"mode":"(?!(plan|dontAsk|direct|acceptEdits)")[^"]*","(told|off)"';
--> statement-breakpoint
-- In the order of keys that they were stored in.
UPDATE turns SET options = (
  SELECT json_object_agg(outermost.key, CASE outermost.key
    WHEN 'options' THEN (
      SELECT json_object_agg(resolved.key, CASE resolved.key
        WHEN 'mode' THEN to_json(CASE lower(trim(resolved.value #>> '{}'))
          WHEN 'thread' THEN 'direct' WHEN 'agent' THEN 'direct' WHEN 'oracle' THEN 'direct'
          WHEN 'direct' THEN 'direct' WHEN 'dontask' THEN 'dontAsk' WHEN 'acceptedits' THEN 'acceptEdits'
          ELSE 'plan'
        END)
        ELSE resolved.value
      END)
      FROM json_each(outermost.value) resolved)
    ELSE outermost.value
  END)
  FROM json_each(turns.options) outermost)
WHERE options -> 'options' ->> 'mode' NOT IN ('plan', 'dontAsk', 'direct', 'acceptEdits');
