import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/storage/connection.js';

/** A statement that fails on each try until `mendAll`. */
export interface Stop {
  table:
    | 'turns'
    | 'approvals'
    | 'notices'
    | 'tool_calls'
    | 'steps'
    | 'webhook_deliveries'
    | 'schedules';
  on: 'insert' | 'update';
  /** Condition: SQL about the rows `new` and `old`. */
  when: string;
  /** The statement leaves the row out, and no error is logged: it takes rows of other turns too. Absent: it fails. */
  isLeftOut?: boolean;
  /** Text in the message of the turns, or of the schedules, that it is for. */
  tag: string;
}

/** The logged error of a turn that reaches its stop. */
export function stoppedText({ tag }: Pick<Stop, 'tag'>): string {
  return `stopped before it, at ${tag}`;
}

/**
 * Stops turns before a line: the statement that would take them over it is refused and stores
 * nothing, as when the process dies before it. The worker drops the turn; the kill comes after
 * that. A claim is not refused, which is for many turns: it leaves them out.
 */
export async function stopAt(db: Database, stops: readonly Stop[]): Promise<void> {
  for (const [index, stop] of stops.entries()) {
    const { table, on, when, tag, isLeftOut = false } = stop;
    const refuse = isLeftOut ? 'return null' : `raise exception '${stoppedText({ tag })}'`;
    const turnId = table === 'turns' ? 'new.id' : 'new.turn_id';
    const isFor =
      table === 'schedules'
        ? `strpos(new.message::text, '${tag}') > 0`
        : `exists (select 1 from turns where id = ${turnId} and strpos(request::text, '${tag}') > 0)`;
    await db.execute(
      sql.raw(`create function stop_${index}() returns trigger language plpgsql as $$ begin
        if (${when}) and ${isFor} then ${refuse}; end if;
        return new; end $$`),
    );
    await db.execute(
      sql.raw(`create trigger stop_${index} before ${on} on ${table}
        for each row execute function stop_${index}()`),
    );
  }
}

export async function mendAll(db: Database, stops: readonly Stop[]): Promise<void> {
  for (const index of stops.keys()) {
    await db.execute(sql.raw(`drop function stop_${index} cascade`));
  }
}
