-- Ids of spans: of the one that accepted a turn, and of the turn's last attempt.
ALTER TABLE turns ADD COLUMN traceparent text, ADD COLUMN tracestate text, ADD COLUMN last_traceparent text;
