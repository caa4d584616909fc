import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/storage/connection.js';

/** Tables with rows of a turn's own; who reads it, and until when a lease is, is not of its way. */
const tables = [
  'turns',
  'messages',
  'approvals',
  'approval_answers',
  'notices',
  'steps',
  'tool_calls',
  'turn_archives',
];

/**
 * Numbers the writes of each turn whose message has a tag such as `(w3)`, and lets nothing of it pass from the write on
 * at which `write_stops` has it stop, as when its process died before that write. Numbers of refused writes count too:
 * they are of sequences, which no transaction takes back.
 *
 * Claims have no numbers: a claim takes other turns too, so that it is left out without an error. Each has a stop of its
 * own.
 */
export async function numberWrites(db: Database): Promise<void> {
  for (const statement of [
    'create table write_stops (tag text primary key, write integer, claim integer)',
    'create table numbered_writes (id serial, tag text, what text)',
    `create function number_write() returns trigger language plpgsql as $$
      declare
        before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) - 'lease_until' end;
        after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) - 'lease_until' end;
        turn jsonb := case when tg_op = 'DELETE' then before else after end;
        own text;
        stop write_stops;
      begin
        if tg_table_name <> 'turns' then
          select to_jsonb(turns) into turn from turns where id = turn->>'turn_id';
        end if;
        own := substring(turn::text from '\\((w[0-9]+)\\)');
        if own is not null and before <> after then
          select * into stop from write_stops where tag = own;
          if tg_table_name = 'turns' and tg_op = 'UPDATE'
              and (after->>'attempt')::integer > (before->>'attempt')::integer then
            if (after->>'attempt')::integer >= stop.claim then return null; end if;
            if stop.write is not null
                and pg_sequence_last_value(('writes_of_' || own)::regclass) >= stop.write then
              return null;
            end if;
          elsif stop.tag is null then
            insert into numbered_writes (tag, what) values (own, tg_table_name || ' ' || lower(tg_op));
          elsif nextval('writes_of_' || own) >= stop.write then
            raise exception 'stopped before it, at (%)', own;
          end if;
        end if;
        return case when tg_op = 'DELETE' then old else new end;
      end $$`,
    ...tables.map(
      (table) => `create trigger number_write before insert or update or delete on ${table}
        for each row execute function number_write()`,
    ),
  ]) {
    await db.execute(sql.raw(statement));
  }
}

/** The writes of a turn that nothing stopped, in order, such as `steps insert`. */
export async function writesOf(db: Database, tag: string): Promise<string[]> {
  const { rows } = await db.execute(
    sql`select what from numbered_writes where tag = ${tag} order by id`,
  );
  return (rows as { what: string }[]).map(({ what }) => what);
}

/** Has the turns of tags stop before a write, or before a claim, of that number. Absent: it stops at none. */
export async function stopTurns(
  db: Database,
  stops: readonly { tag: string; write?: number; claim?: number }[],
): Promise<void> {
  for (const { tag, write = null, claim = null } of stops) {
    await db.execute(sql.raw(`create sequence writes_of_${tag}`));
    await db.execute(sql`insert into write_stops values (${tag}, ${write}, ${claim})`);
  }
}

/** Lets all pass again. */
export async function stopNoWrite(db: Database): Promise<void> {
  await db.execute(sql`drop function number_write cascade`);
}
