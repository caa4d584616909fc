import { and, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { feedback } from '../../storage/schema.js';
import type { FeedbackRow } from './view-feedback.js';

/** The page token of a list of feedback: the next page begins after this one. */
export interface FeedbackPageToken {
  /** In ms since the epoch. */
  createdAt: number;
  turnId: string;
  key: string;
}

export interface FeedbackFilter {
  key?: string | undefined;
  /** Least and greatest number; true counts as 1, false as 0, and a text has none. */
  min?: number | undefined;
  max?: number | undefined;
  /** The text of a value: `true`, `4`, `wrong-tone`. */
  value?: string | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  /** Since this time, and before this one. */
  since?: Date | undefined;
  until?: Date | undefined;
  after: FeedbackPageToken | undefined;
  limit: number;
}

const { createdAt, turnId, key, value } = feedback;
const position = sql`(${createdAt}, ${turnId}, ${key})`;
const asNumber = sql`case json_typeof(${value})
  when 'number' then ${value}::text::double precision
  when 'boolean' then ${value}::text::boolean::integer end`;
/** A text without its quotes. */
const asText = sql`${value} #>> '{}'`;

/** Loads a page of a principal's feedback, the newest first. */
export function pageFeedback(
  db: Queryable,
  principalId: string,
  filter: FeedbackFilter,
): Promise<FeedbackRow[]> {
  const { after, limit, since, until } = filter;
  const wanted = <T>(given: T | undefined, is: (value: T) => SQL): SQL | undefined =>
    given === undefined ? undefined : is(given);
  return db
    .select()
    .from(feedback)
    .where(
      and(
        eq(feedback.principalId, principalId),
        wanted(filter.key, (one) => eq(key, one)),
        wanted(filter.min, (least) => sql`${asNumber} >= ${least}::double precision`),
        wanted(filter.max, (most) => sql`${asNumber} <= ${most}::double precision`),
        wanted(filter.value, (text) => sql`${asText} = ${text}`),
        wanted(filter.agent, (agent) => eq(feedback.agent, agent)),
        wanted(filter.model, (model) => eq(feedback.model, model)),
        wanted(since, (time) => gte(createdAt, time)),
        wanted(until, (time) => lt(createdAt, time)),
        wanted(
          after,
          (last) =>
            sql`${position} < (${new Date(last.createdAt).toISOString()}::timestamptz, ${last.turnId}::text, ${last.key}::text)`,
        ),
      ),
    )
    .orderBy(desc(createdAt), desc(turnId), desc(key))
    .limit(limit);
}

/** The page token after a row, `<ms>:<turn>:<key>`. */
export function formatPageToken(row: FeedbackRow): string {
  return `${row.createdAt.getTime()}:${row.turnId}:${row.key}`;
}

/** @returns undefined for anything but a page token. */
export function parsePageToken(given: string): FeedbackPageToken | undefined {
  const [, time, turn = '', word = ''] = /^(\d{1,13}):([^:]+):([\w.-]{1,64})$/.exec(given) ?? [];
  return time === undefined || !isId('turn', turn)
    ? undefined
    : { createdAt: Number(time), turnId: turn, key: word };
}
