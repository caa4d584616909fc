import { and, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { canonicalJson, isPlainObject, parseJson, printExact } from '../../platform/face.js';
import { type Database, type Queryable, sessions, turns } from '../../storage/face.js';
import { loadTurns, type StoredTurn, type TurnRow } from '../../turn/face.js';
import {
  historyDigests,
  repliesIn,
  withoutBlanks,
  type HistoryDigest,
  type KnownItem,
} from './input-items.js';

/** Turns of equal beginnings that are looked at, the newest first. */
const MAX_LIKE = 20;

/** The part of a conversation that the server has. */
export interface KnownPart {
  /** Its last turn. */
  turn: TurnRow;
  /** Index of the first item after it. */
  next: number;
  /** Whether the client says otherwise what the turn replied: the items from its message on take its place. */
  isReworded: boolean;
}

/**
 * Finds the conversation of a client that sends the whole of it with each request, and names none: a turn keeps the
 * digest of all up to its message, and the next request repeats that, and then what the turn said.
 *
 * @param places those of messages that something may follow, the new one left out.
 * @returns the longest part that ended in turns of the principal's; undefined: none did.
 */
export async function findKnownPart(
  db: Database,
  principalId: string,
  items: readonly KnownItem[],
  places: readonly HistoryDigest[],
): Promise<KnownPart | undefined> {
  if (places.length === 0) return undefined;
  const digests = places.map(({ digest }) => digest);
  const found = await db
    .select({ id: turns.id, digest: turns.clientHistory })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(
      and(
        eq(turns.principalId, principalId),
        inArray(turns.clientHistory, digests),
        isNotNull(turns.endedAt),
        isNull(turns.supersededBy),
        isNull(turns.parentTurnId),
        isNull(sessions.replayOf),
        eq(sessions.origin, 'responses'),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(MAX_LIKE + digests.length);
  for (const { index, digest } of places.toReversed()) {
    const like = found.filter((turn) => turn.digest === digest).slice(0, MAX_LIKE);
    const stored = await loadTurns(
      db,
      like.map(({ id }) => id),
    );
    for (const one of stored.toReversed()) {
      const next = endOf(one, items, index);
      if (next !== undefined) return { turn: one.turn, next, isReworded: false };
    }
    // The client has its own version of the reply. Where one turn alone has this beginning, it is that conversation.
    const [only, another] = stored;
    if (only !== undefined && another === undefined && (await isLastTurn(db, only.turn))) {
      return { turn: only.turn, next: index, isReworded: true };
    }
  }
  return undefined;
}

/** The turn of an earlier request with the same key and the same conversation. */
export async function findRepeatedTurn(
  db: Database,
  {
    principalId,
    digest,
    idempotencyKey,
  }: Record<'principalId' | 'digest' | 'idempotencyKey', string>,
): Promise<TurnRow | undefined> {
  const [found] = await db
    .select()
    .from(turns)
    .where(
      and(
        eq(turns.principalId, principalId),
        eq(turns.clientHistory, digest),
        eq(turns.idempotencyKey, idempotencyKey),
      ),
    );
  return found;
}

/**
 * The items without a reply at their end that was cut off: its turn failed or was interrupted, and a client that connects
 * again sends what it had of the reply after the message, which it wants answered.
 */
export async function withoutCutReply(
  db: Database,
  principalId: string,
  items: readonly KnownItem[],
): Promise<readonly KnownItem[]> {
  const place = historyDigests(items).at(-1);
  if (place === undefined) return items;
  const { index, digest } = place;
  const after = items.slice(index + 1);
  const isReply = after.every(({ kind }) => kind === 'reply' || kind === 'aside');
  if (after.length === 0 || !isReply) return items;
  const [last] = await db
    .select({ status: turns.status })
    .from(turns)
    .where(and(eq(turns.principalId, principalId), eq(turns.clientHistory, digest)))
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  const isCut = last?.status === 'failed' || last?.status === 'interrupted';
  return isCut ? items.slice(0, index + 1) : items;
}

/**
 * Whether no turn of its conversation came after a turn, apart from those that this transaction has stored. Once it has
 * stored one, no other can come between.
 */
export async function isLastTurn(db: Queryable, { id, sessionId }: TurnRow): Promise<boolean> {
  const [last] = await db
    .select({ id: turns.id })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        sql`${turns}.xmin is distinct from pg_current_xact_id_if_assigned()::xid`,
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  return last?.id === id;
}

/**
 * Where what a turn said ends among the items after its message: its replies, and messages that were steered into
 * it. Pure.
 *
 * @returns undefined where the items say something else.
 */
function endOf(turn: StoredTurn, items: readonly KnownItem[], index: number): number | undefined {
  const steered = withoutBlanks(turn.steered.map(({ text }) => text).join(''));
  let joined = '';
  let next = index + 1;
  for (; next < items.length; next += 1) {
    const item = items[next];
    if (item?.kind !== 'user') continue;
    const said = withoutBlanks(item.content.filter((one) => typeof one === 'string').join(''));
    if (said === '' || !steered.startsWith(joined + said)) break;
    joined += said;
  }
  const between = items.slice(index + 1, next);
  // A turn that was cut off has not heard the outputs that its client has.
  const isCut = turn.turn.status === 'interrupted' || turn.turn.status === 'failed';
  if (isCut && between.some(({ kind }) => kind === 'output')) return undefined;
  if (between.some((item) => isForeignCall(item, turn.turn))) return undefined;
  const replied = repliesIn(between);
  return joined === steered && textsOf(turn).some((said) => isSame(said, replied))
    ? next
    : undefined;
}

/** Whether an item is a call with its output that the turn does not have: another program ran it for the reply. */
function isForeignCall(item: KnownItem, { id }: TurnRow): boolean {
  if (item.kind !== 'call' || item.call.output === undefined) return false;
  return !item.call.callId.startsWith(id.replace(/^turn_/, 'mcp_'));
}

/** What a turn may be said to have answered: its texts, with the note on a limit; or its object. */
function textsOf({ turn, steps }: StoredTurn): string[] {
  const texts = steps.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  );
  const said = texts.join('');
  return [
    said,
    `${said}${turn.endNote ?? ''}`,
    ...(turn.output === null ? [] : [printExact(canonicalJson(turn.output))]),
  ].map(withoutBlanks);
}

function isSame(said: string, replied: string): boolean {
  if (said === replied) return true;
  // An object has its keys in an order of its own.
  if (!said.startsWith('{') || !replied.startsWith('{')) return false;
  try {
    const value = parseJson(replied);
    return isPlainObject(value) && withoutBlanks(printExact(canonicalJson(value))) === said;
  } catch {
    return false;
  }
}
