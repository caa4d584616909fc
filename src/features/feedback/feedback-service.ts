import { Inject, Injectable } from '@nestjs/common';
import { and, asc, count, eq, gte, lt, sql, type SQL } from 'drizzle-orm';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { loadPage } from '../../http/face.js';
import { canonicalJson, type Clock, CLOCK, newTimeId } from '../../platform/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { feedback } from '../../storage/schema.js';
import { lockKey } from '../../storage/statements.js';
import { foundRow, returnedRow } from '../../storage/rows.js';
import { messages } from '../../storage/transcript-schema.js';
import { addDeliveries } from '../../events/face.js';
import { getTurn, type TurnRow } from '../../turn/face.js';
import {
  viewFeedback,
  type FeedbackDto,
  type FeedbackPageDto,
  type FeedbackQueryDto,
  type FeedbackRow,
  type GivenFeedbackDto,
} from './feedback.dto.js';

/** Keys of a turn that one principal may give feedback for. */
const MAX_KEYS = 50;

const { createdAt, turnId, key, value } = feedback;
const asNumber = sql`case json_typeof(${value})
  when 'number' then ${value}::text::double precision
  when 'boolean' then ${value}::text::boolean::integer end`;
/** A text without its quotes. */
const asText = sql`${value} #>> '{}'`;

const newestFirst = { columns: { createdAt, turnId, key }, isDescending: true };

/** Feedback on turns. A change and what webhooks are sent of it are one transaction. */
@Injectable()
export class FeedbackService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sets the principal's feedback of a turn and key. The same again changes nothing, and nobody is told.
   *
   * @throws TypedError TURN_NOT_FOUND 404, FEEDBACK_LIMIT 409, INVALID_REQUEST 400 for a message of no such turn.
   */
  async set(id: string, given: GivenFeedbackDto, principalId: string): Promise<FeedbackDto> {
    const turn = await getTurn(this.db, id);
    const { persona: agent, model } = turn.options.options;
    const { key: word, value: judgement, comment = null, messageId = null } = given;
    const one = which(id, principalId, word);
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'feedback', id);
      const [before] = await tx.select().from(feedback).where(one);
      const wanted = { value: judgement, comment, messageId };
      if (before !== undefined && isSame(before, wanted)) return viewFeedback(before);
      if (before === undefined) await assertHeadroom(tx, id, principalId);
      if (messageId !== null) await assertMessage(tx, id, messageId);
      const at = new Date(this.clock.now());
      const changes = { ...wanted, updatedAt: at };
      const stored = await tx
        .insert(feedback)
        .values({ turnId: id, key: word, principalId, agent, model, createdAt: at, ...changes })
        .onConflictDoUpdate({ target: [turnId, key, feedback.principalId], set: changes })
        .returning();
      const facts = { key: word, value: judgement, messageId };
      await this.#tell(tx, turn, { principalId, facts, at });
      return viewFeedback(returnedRow(stored, 'feedback'));
    });
  }

  /** @returns what is gone. @throws TypedError TURN_NOT_FOUND 404, FEEDBACK_NOT_FOUND 404. */
  async delete(id: string, word: string, principalId: string): Promise<FeedbackDto> {
    const turn = await getTurn(this.db, id);
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'feedback', id);
      const deleted = foundRow(
        await tx
          .delete(feedback)
          .where(which(id, principalId, word))
          .returning(),
        () => feedbackNotFound(id, word),
      );
      const at = new Date(this.clock.now());
      const facts = { key: word, value: null, messageId: deleted.messageId };
      await this.#tell(tx, turn, { principalId, facts, at });
      return viewFeedback(deleted);
    });
  }

  /** Lists a principal's feedback on a turn, by key. @throws TypedError TURN_NOT_FOUND 404. */
  async ofTurn(id: string, principalId: string): Promise<FeedbackDto[]> {
    await getTurn(this.db, id);
    const rows = await this.db
      .select()
      .from(feedback)
      .where(which(id, principalId))
      .orderBy(asc(key));
    return rows.map(viewFeedback);
  }

  /** Events are thin: the comment is not in them. A value of null: the feedback was deleted. */
  #tell(
    tx: Queryable,
    { id, sessionId, parentTurnId }: TurnRow,
    change: { principalId: string; facts: Record<string, unknown>; at: Date },
  ): Promise<void> {
    return addDeliveries(tx, {
      id: newTimeId('evt', change.at.getTime()),
      type: 'feedback.changed',
      turn: { id, sessionId, parentTurnId },
      ...change,
    });
  }

  /**
   * A page of a principal's feedback, the newest first.
   *
   * @throws TypedError INVALID_REQUEST 400 for an invalid cursor.
   */
  async page(principalId: string, query: FeedbackQueryDto): Promise<FeedbackPageDto> {
    const wanted = <T>(given: T | undefined, is: (one: T) => SQL): SQL | undefined =>
      given === undefined ? undefined : is(given);
    const filter = and(
      eq(feedback.principalId, principalId),
      wanted(query.key, (one) => eq(key, one)),
      wanted(query.min, (least) => sql`${asNumber} >= ${least}::double precision`),
      wanted(query.max, (most) => sql`${asNumber} <= ${most}::double precision`),
      wanted(query.value, (text) => sql`${asText} = ${text}`),
      wanted(query.agent, (agent) => eq(feedback.agent, agent)),
      wanted(query.model, (model) => eq(feedback.model, model)),
      wanted(query.since, (text) => gte(createdAt, new Date(text))),
      wanted(query.until, (text) => lt(createdAt, new Date(text))),
    );
    const { rows, ...next } = await loadPage(query, newestFirst, ({ after, orderBy, limit }) =>
      this.db
        .select()
        .from(feedback)
        .where(and(filter, after))
        .orderBy(...orderBy)
        .limit(limit),
    );
    return { feedback: rows.map(viewFeedback), ...next };
  }
}

function which(id: string, principalId: string, word?: string) {
  return and(
    eq(turnId, id),
    eq(feedback.principalId, principalId),
    word === undefined ? undefined : eq(key, word),
  );
}

function isSame(
  row: FeedbackRow,
  { value: judgement, comment, messageId }: Pick<FeedbackRow, 'value' | 'comment' | 'messageId'>,
): boolean {
  return (
    canonicalJson({ value: row.value }) === canonicalJson({ value: judgement }) &&
    row.comment === comment &&
    row.messageId === messageId
  );
}

async function assertHeadroom(tx: Queryable, id: string, principalId: string): Promise<void> {
  const [found] = await tx.select({ keys: count() }).from(feedback).where(which(id, principalId));
  if ((found?.keys ?? 0) >= MAX_KEYS) throw feedbackLimit(MAX_KEYS);
}

async function assertMessage(tx: Queryable, id: string, messageId: string): Promise<void> {
  const found = await tx
    .select({ one: sql`1` })
    .from(messages)
    .where(and(eq(messages.turnId, id), eq(messages.id, messageId)));
  if (found.length === 0) throw notAMessage(messageId);
}

function feedbackNotFound(turnId: string, key: string): TypedError {
  return new TypedError('FEEDBACK_NOT_FOUND', {
    message: `The turn ${turnId} has no feedback ${key}. GET /api/harness/turns/${turnId}/feedback lists what it has.`,
  });
}

function feedbackLimit(most: number): TypedError {
  return new TypedError('FEEDBACK_LIMIT', {
    message: `The turn has feedback for ${most} keys already. Change or delete one of them.`,
    details: { most },
  });
}

function notAMessage(messageId: string): TypedError {
  return invalidRequest(`'messageId': the turn has no message ${messageId}`);
}
