-- Where a forked session's history comes from; which turns of a session stand in the place of which.
ALTER TABLE sessions ADD COLUMN forked_from json;
--> statement-breakpoint
ALTER TABLE turns ADD COLUMN copied_from text, ADD COLUMN replaces text, ADD COLUMN superseded_by text;
