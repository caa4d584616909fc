import { Inject, Injectable } from '@nestjs/common';
import { and, asc, count, eq, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newTimeId } from '../../platform/ids.js';
import { canonicalJson } from '../../platform/json.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { feedback, type FeedbackValue } from '../../storage/schema.js';
import { lockKey } from '../../storage/statements.js';
import { messages } from '../../storage/transcript-schema.js';
import { addDeliveries } from '../../webhooks/outbox.js';
import { getTurn, type TurnRow } from '../state/turn-row.js';
import { feedbackLimit, feedbackNotFound, notAMessage } from './feedback-errors.js';
import { pageFeedback, type FeedbackFilter } from './page-feedback.js';
import { viewFeedback, type FeedbackRow, type FeedbackView } from './view-feedback.js';

/** Feedback as its sender words it. */
export interface GivenFeedback {
  key: string;
  value: FeedbackValue;
  comment: string | null;
  messageId: string | null;
}

/** Keys of a turn that one principal may give feedback for. */
const MOST_KEYS = 50;

/** Feedback on turns. A change and what webhooks are sent of it are one transaction. */
@Injectable()
export class FeedbackStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sets the principal's feedback of a turn and key. The same again changes nothing, and nobody is told.
   *
   * @throws TypedError TURN_NOT_FOUND 404, FEEDBACK_LIMIT 409, INVALID_REQUEST 400 for a message of no such turn.
   */
  async set(turnId: string, given: GivenFeedback, principalId: string): Promise<FeedbackView> {
    const turn = await getTurn(this.db, turnId);
    const { persona: agent, model } = turn.options.options;
    const { key } = given;
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'feedback', turnId);
      const [before] = await tx
        .select()
        .from(feedback)
        .where(which(turnId, principalId, key));
      if (before !== undefined && isSame(before, given)) return viewFeedback(before);
      if (before === undefined) await assertHeadroom(tx, turnId, principalId);
      if (given.messageId !== null) await assertMessage(tx, turnId, given.messageId);
      const at = new Date(this.clock.now());
      const { value, comment, messageId } = given;
      const changes = { value, comment, messageId, updatedAt: at };
      const [stored] = await tx
        .insert(feedback)
        .values({ turnId, key, principalId, agent, model, createdAt: at, ...changes })
        .onConflictDoUpdate({
          target: [feedback.turnId, feedback.key, feedback.principalId],
          set: changes,
        })
        .returning();
      if (stored === undefined) throw new Error('The database returned no feedback');
      const facts = { key, value, messageId };
      await this.#tell(tx, turn, { principalId, facts, at });
      return viewFeedback(stored);
    });
  }

  /** @returns what is gone. @throws TypedError TURN_NOT_FOUND 404, FEEDBACK_NOT_FOUND 404. */
  async delete(turnId: string, key: string, principalId: string): Promise<FeedbackView> {
    const turn = await getTurn(this.db, turnId);
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'feedback', turnId);
      const [deleted] = await tx
        .delete(feedback)
        .where(which(turnId, principalId, key))
        .returning();
      if (deleted === undefined) throw feedbackNotFound(turnId, key);
      const at = new Date(this.clock.now());
      const facts = { key, value: null, messageId: deleted.messageId };
      await this.#tell(tx, turn, { principalId, facts, at });
      return viewFeedback(deleted);
    });
  }

  /** Lists a principal's feedback on a turn, by key. @throws TypedError TURN_NOT_FOUND 404. */
  async ofTurn(turnId: string, principalId: string): Promise<FeedbackView[]> {
    await getTurn(this.db, turnId);
    const rows = await this.db
      .select()
      .from(feedback)
      .where(which(turnId, principalId))
      .orderBy(asc(feedback.key));
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

  /** A page of a principal's feedback, the newest first. */
  page(principalId: string, filter: FeedbackFilter): Promise<FeedbackRow[]> {
    return pageFeedback(this.db, principalId, filter);
  }
}

function which(turnId: string, principalId: string, key?: string) {
  return and(
    eq(feedback.turnId, turnId),
    eq(feedback.principalId, principalId),
    key === undefined ? undefined : eq(feedback.key, key),
  );
}

function isSame(row: FeedbackRow, { value, comment, messageId }: GivenFeedback): boolean {
  return (
    canonicalJson({ value: row.value }) === canonicalJson({ value }) &&
    row.comment === comment &&
    row.messageId === messageId
  );
}

async function assertHeadroom(tx: Queryable, turnId: string, principalId: string): Promise<void> {
  const [found] = await tx
    .select({ keys: count() })
    .from(feedback)
    .where(which(turnId, principalId));
  if ((found?.keys ?? 0) >= MOST_KEYS) throw feedbackLimit(MOST_KEYS);
}

async function assertMessage(tx: Queryable, turnId: string, messageId: string): Promise<void> {
  const found = await tx
    .select({ one: sql`1` })
    .from(messages)
    .where(and(eq(messages.turnId, turnId), eq(messages.id, messageId)));
  if (found.length === 0) throw notAMessage(messageId);
}
