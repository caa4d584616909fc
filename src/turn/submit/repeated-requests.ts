import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, gt, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { Principal } from '../../access/principal.js';
import type { Sent } from '../../http/request-record.js';
import type { RequestTry } from '../../http/request-try.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { timeIdFrom } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import { getTurn } from '../state/turn-row.js';
import { LeftRequests } from './left-requests.js';
import type { SubmittedTurn, TurnSubmission } from './turn-submission.js';

/** Age up to which the turn of an earlier try is joined, in ms. A client may wait ten minutes before it tries again. */
const TRY_MS = 900_000;

/** The end of a key whose client left before a byte of the answer was sent, and which nobody has joined since. */
const LEFT = ':left';

/** The turn of an earlier try of a request. */
export interface EarlierTry {
  turnId: string;
  sessionId: string;
  /** The message that was steered into it by that try. Absent: the turn is the request's own. */
  messageId?: string;
}

/** A submission without a key, and the try that brought it. */
type Tried = TurnSubmission & { principal: Sender };
type Sender = Principal & { try: RequestTry };

/**
 * Requests that come again without an `Idempotency-Key`: the second try joins the turn of the first, unless the first
 * had its answer.
 *
 * A turn whose client numbers its tries is stored under `try:DIGEST:TRIES:RANDOM`, in place of the key that the client did
 * not send. The turn of another client gets such a key when its client leaves before the end of the answer. A turn is
 * joined while it has the key, which a delivered answer ends: an answer whose process died was not delivered. A client
 * that numbers nothing and stays for its answer costs no statement and no entry of an index.
 *
 * A request that does not say that it repeats joins only a turn whose client left before a byte of the answer was sent:
 * who saw a part of an answer may want another one. Its key ends with `:left`, and is looked for where `LeftRequests`
 * has heard of it.
 */
@Injectable()
export class RepeatedRequests {
  readonly #found = new WeakMap<RequestTry, EarlierTry>();
  readonly #marking = new Set<Promise<void>>();
  /** Submissions that are not stored yet, by principal and digest. */
  readonly #underWay = new Map<string, Set<Promise<SubmittedTurn>>>();
  #stopped = false;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    private readonly left: LeftRequests,
  ) {}

  start(): Promise<void> {
    return this.left.start();
  }

  /**
   * Submits a request, or joins the turn of an earlier try.
   *
   * @param submit stores the turn under a key; undefined: under that of the request.
   */
  async once(
    submission: TurnSubmission,
    submit: (tryKey: string | undefined) => Promise<SubmittedTurn>,
  ): Promise<SubmittedTurn> {
    if (!isTried(submission)) return submit(undefined);
    const turn = (await this.#join(submission)) ?? (await this.#track(submission, submit));
    this.#watch(submission, turn);
    return turn;
  }

  /**
   * The turn of an earlier try, where a request says that there was one, or where one had no answer at all. Of several
   * equal requests that wait for their answers, each is joined by one.
   */
  async find(principal: Principal): Promise<EarlierTry | undefined> {
    if (!isSender(principal) || !this.#mayRepeat(principal)) return undefined;
    const { try: tried } = principal;
    const { number = 0 } = tried;
    const known = this.#found.get(tried);
    if (known !== undefined) return known;
    // The try before may be on its way to the database.
    const underWay: Iterable<Promise<unknown>> = this.#underWay.get(wayOf(principal)) ?? [];
    await Promise.allSettled(underWay);
    await Promise.all(this.#marking);
    const found = await this.#claim(principal, number);
    if (found !== undefined) this.#found.set(tried, found);
    return found;
  }

  /** From now on, a client that leaves was cut off by this process. */
  stop(): void {
    this.#stopped = true;
    this.left.stop();
  }

  #mayRepeat(sender: Sender): boolean {
    return saysSo(sender) || this.left.has(digestOf(sender));
  }

  /** The submission's turn, or the one its message was steered into, by an earlier try; undefined: it is a new one. */
  async #join(submission: Tried): Promise<SubmittedTurn | undefined> {
    const { principal, sessionId } = submission;
    const found =
      (await this.find(principal)) ?? (await this.#findSteered(principal, submission.sessionId));
    if (found?.sessionId !== sessionId) return undefined;
    this.#found.set(principal.try, found);
    const { onDisconnect } = (await getTurn(this.db, found.turnId)).options.options;
    return { turnId: found.turnId, onDisconnect, disposition: { type: 'repeated' } };
  }

  async #track(
    { principal }: Tried,
    submit: (tryKey: string | undefined) => Promise<SubmittedTurn>,
  ): Promise<SubmittedTurn> {
    const { number } = principal.try;
    const key = number === undefined ? undefined : keyOf(digestOf(principal), number);
    const way = wayOf(principal);
    const underWay = this.#underWay.get(way) ?? new Set();
    this.#underWay.set(way, underWay);
    const submitted = submit(key);
    underWay.add(submitted);
    try {
      return await submitted;
    } finally {
      underWay.delete(submitted);
      if (underWay.size === 0) this.#underWay.delete(way);
    }
  }

  /** Notes, once the answer to a request is over, whether it was delivered. */
  #watch({ principal }: Tried, { turnId, disposition }: SubmittedTurn): void {
    const { number } = principal.try;
    const steered = disposition.type === 'steered' ? disposition.messageId : undefined;
    const messageId = steered ?? this.#found.get(principal.try)?.messageId;
    const digest = digestOf(principal);
    const hasKey = number !== undefined || this.#found.has(principal.try);
    principal.try.onAnswered((sent) => {
      const isCut = sent !== 'all';
      // A process that stops cuts all of them off, and their turns go on.
      if (isCut ? this.#stopped || (hasKey && sent === 'part') : !hasKey) return;
      if (sent === 'nothing') this.left.add(digest);
      const marked = this.#mark({ turnId, messageId }, { digest, number, sent }).finally(() =>
        this.#marking.delete(marked),
      );
      this.#marking.add(marked);
    });
  }

  /** The turn to join, by the key that the request changes: of those that come at once, one has each. */
  async #claim(sender: Sender, number: number): Promise<EarlierTry | undefined> {
    const { id, idempotencyKey: key } = turns;
    const digest = digestOf(sender);
    const since = timeIdFrom('turn', this.clock.now() - TRY_MS);
    const tries = sql`split_part(${key}, ':', 3)::int`;
    const claim = sql`
      with picked as (
        select ${id} as id, ${key} as key from ${turns}
        where ${id} >= ${since} and ${turns.principalId} = ${sender.id}
          and ${isJoined(key, sender)}
          and ${turns.cancelReason} is distinct from 'disconnect'
        order by (${tries} < ${number}) desc, ${tries}, ${id} limit 1),
      joined as (
        update ${turns} set idempotency_key = 'try:' || ${digest} || ':' || greatest(${tries}, ${number})
          || ':' || split_part(${key}, ':', 4)
        from picked where ${id} = picked.id and ${key} = picked.key
        returning ${id} as turn, ${turns.sessionId} as session)
      select turn, session from picked left join joined on true`;
    for (;;) {
      const { rows } = await this.db.execute(claim);
      const [row] = rows as { turn: string | null; session: string }[];
      if (row === undefined) return undefined;
      if (row.turn !== null) return { turnId: row.turn, sessionId: row.session };
      // Another one has it since this one picked it.
    }
  }

  /** A message of the session that was steered into one of its turns by an earlier try. */
  async #findSteered(principal: Sender, sessionId: string): Promise<EarlierTry | undefined> {
    if (!this.#mayRepeat(principal)) return undefined;
    const { id, turnId, idempotencyKey: key, createdAt } = steeredMessages;
    const [message] = await this.db
      .select({ messageId: id, turnId, sessionId: steeredMessages.sessionId })
      .from(steeredMessages)
      .where(
        and(
          eq(steeredMessages.sessionId, sessionId),
          isJoined(key, principal),
          gt(createdAt, new Date(this.clock.now() - TRY_MS)),
        ),
      )
      .orderBy(desc(createdAt))
      .limit(1);
    return message;
  }

  async #mark(
    { turnId, messageId }: { turnId: string; messageId: string | undefined },
    { digest, number = 0, sent }: { digest: string; number: number | undefined; sent: Sent },
  ): Promise<void> {
    const table = messageId === undefined ? turns : steeredMessages;
    const { id, idempotencyKey: key } = table;
    const isOwn = isKey(key, digest);
    const without = keyOf(digest, number);
    // A later try may read the turn by now.
    const isLast = sql`split_part(${key}, ':', 3)::int <= ${number}`;
    const marks = {
      all: { to: null, where: isOwn },
      part: { to: without, where: isNull(key) },
      nothing: {
        to: sql`coalesce(${key}, ${without}) || ${LEFT}`,
        where: or(isNull(key), and(isOwn, isLast)),
      },
    };
    const { to: idempotencyKey, where } = marks[sent];
    try {
      await this.db
        .update(table)
        .set({ idempotencyKey })
        .where(and(eq(id, messageId ?? turnId), where));
      if (sent === 'nothing') await this.left.tell(digest);
    } catch (error) {
      this.logger.warn(
        { turnId, error },
        'could not store whether an answer was delivered; if its client sends the request again, that may join this turn or begin another',
      );
    }
  }
}

function isTried(submission: TurnSubmission): submission is Tried {
  const { principal, idempotencyKey } = submission;
  return idempotencyKey === undefined && principal !== undefined && isSender(principal);
}

function isSender(principal: Principal): principal is Sender {
  return principal.try?.digest() !== undefined;
}

/** Whether a request says that it is not the first try. */
function saysSo({ try: { number = 0 } }: Sender): boolean {
  return number > 0;
}

/** A page token has tries of its own: it may see less than its principal. */
function digestOf({ credential, try: { digest } }: Sender): string {
  const page = credential.kind === 'page' ? credential.tokenId : '';
  return `${page}${digest() ?? ''}`;
}

function wayOf(sender: Sender): string {
  return `${digestOf(sender)} ${sender.id}`;
}

function keyOf(digest: string, tries: number): string {
  return `try:${digest}:${tries}:${randomBytes(12).toString('hex')}`;
}

type KeyColumn = typeof turns.idempotencyKey | typeof steeredMessages.idempotencyKey;

/** Whether a request joins what is stored under a key. */
function isJoined(key: KeyColumn, sender: Sender): SQL {
  const isOwn = isKey(key, digestOf(sender));
  return saysSo(sender) ? isOwn : sql`(${isOwn} and right(${key}, ${LEFT.length}) = ${LEFT})`;
}

function isKey(key: KeyColumn, digest: string): SQL {
  return sql`starts_with(${key}, ${`try:${digest}:`})`;
}
