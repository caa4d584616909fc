import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Config } from '../../config/config.js';
import { asksForOutput } from '../../options/option-rules.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Database, Queryable } from '../../storage/connection.js';
import type { SignalBus } from '../queue/signal-bus.js';
import {
  sessionQueueFull,
  steeringTakesNoFiles,
  steeringTakesNoOutput,
} from '../state/turn-errors.js';
import { getTurn } from '../state/turn-row.js';
import { newId } from '../../platform/ids.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { activeStatuses } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';
import type { SubmittedTurn, TurnSubmission } from './turn-submission.js';

export interface Steering {
  submission: TurnSubmission;
  requestHash: string;
  /** Logger of the request. */
  logger: Pick<Logger, 'warn'>;
}

interface SteerDeps {
  db: Database;
  bus: SignalBus;
  clock: Clock;
  config: Pick<Config, 'sessionQueue'>;
}

/**
 * Sends a message into the turn that is running in its session: the model has it with its next call.
 * The options of the message are that turn's.
 *
 * @returns undefined when no turn is left that could take the message; `key-taken` when a racing
 *   request took the idempotency key.
 * @throws TypedError INVALID_REQUEST for files and for an output of its own, SESSION_QUEUE_FULL.
 */
export async function steerTurn(
  { db, bus, clock, config: { sessionQueue } }: SteerDeps,
  { submission, requestHash, logger }: Steering,
): Promise<SubmittedTurn | 'key-taken' | undefined> {
  const { sessionId, message: text, attachments, files = [], tryKey } = submission;
  const { idempotencyKey = tryKey } = submission;
  if (attachments.length > 0 || files.length > 0) throw steeringTakesNoFiles();
  if (asksForOutput(submission.opts)) throw steeringTakesNoOutput();
  const now = new Date(clock.now());
  const { clientMessageId: clientId, instructions } = submission;
  const body = { sessionId, text, clientId, instructions };
  const message = { ...body, requestHash, idempotencyKey, now };
  const stored = await storeSteeredMessage(db, message, sessionQueue);
  switch (stored.type) {
    case 'nobody':
      return undefined;
    case 'key-taken':
      return 'key-taken';
    case 'full':
      throw sessionQueueFull(sessionId, sessionQueue);
    case 'steered': {
      const { turnId, messageId } = stored;
      // A lost hint costs time, not the message: the turn's row counts it.
      bus
        .publishCancel(turnId)
        .catch((error: unknown) =>
          logger.warn(
            { turnId, error },
            'could not tell the worker of a steered message; the worker sees it at its next lease renewal',
          ),
        );
      const { onDisconnect } = (await getTurn(db, turnId)).options.options;
      return { turnId, onDisconnect, disposition: { type: 'steered', messageId } };
    }
  }
}

export interface NewSteeredMessage {
  sessionId: string;
  text: string;
  /** The client's own id of it. */
  clientId?: string | undefined;
  /** What the application says with it: the turn has that from its next attempt on. Absent: what it said before. */
  instructions?: string | undefined;
  requestHash: string;
  idempotencyKey: string | undefined;
  now: Date;
}

export type SteerResult =
  | { type: 'steered'; turnId: string; messageId: string }
  /** No active turn could still get it delivered. */
  | { type: 'nobody' }
  | { type: 'key-taken' }
  | { type: 'full' };

/**
 * Adds a message to the active turn of a session. The turn's row is locked and counts it: an end
 * without its delivery is not stored (see `TurnCommits`).
 *
 * @param most messages that may wait for delivery.
 */
export async function storeSteeredMessage(
  db: Database,
  message: NewSteeredMessage,
  most: number,
): Promise<SteerResult> {
  const { sessionId, text, clientId = null, requestHash, idempotencyKey = null, now } = message;
  const { instructions } = message;
  try {
    return await db.transaction(async (tx): Promise<SteerResult> => {
      const [active] = await tx
        .select({ id: turns.id, steered: turns.steeredMessages, request: turns.request })
        .from(turns)
        .where(
          and(
            eq(turns.sessionId, sessionId),
            inArray(turns.status, [...activeStatuses]),
            isNull(turns.cancelRequestedAt),
          ),
        )
        .for('update');
      if (active === undefined) return { type: 'nobody' };
      // The request may have begun a turn since it was looked for: it must not be steered into itself.
      if (idempotencyKey !== null && (await hasTurn(tx, sessionId, idempotencyKey))) {
        return { type: 'key-taken' };
      }
      const [undelivered] = await tx
        .select({ messages: count() })
        .from(steeredMessages)
        .where(and(eq(steeredMessages.turnId, active.id), isNull(steeredMessages.afterStep)));
      if ((undelivered?.messages ?? 0) >= most) return { type: 'full' };
      const id = newId('msg');
      const position = active.steered + 1;
      const row = { id, sessionId, turnId: active.id, position, text, clientId };
      await tx
        .insert(steeredMessages)
        .values({ ...row, requestHash, idempotencyKey, createdAt: now });
      await tx
        .update(turns)
        .set({
          steeredMessages: sql`${turns.steeredMessages} + 1`,
          ...(instructions === undefined ? {} : { request: { ...active.request, instructions } }),
        })
        .where(eq(turns.id, active.id));
      return { type: 'steered', turnId: active.id, messageId: id };
    });
  } catch (error) {
    if (violatedConstraint(error) !== KEY_CONSTRAINT) throw error;
    return { type: 'key-taken' };
  }
}

async function hasTurn(tx: Queryable, sessionId: string, idempotencyKey: string): Promise<boolean> {
  const found = await tx
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.idempotencyKey, idempotencyKey)));
  return found.length > 0;
}

const KEY_CONSTRAINT = 'joined_messages_session_id_idempotency_key_key';

/** The message that came with a key before. */
export async function findSteeredByKey(db: Queryable, sessionId: string, idempotencyKey: string) {
  const [message] = await db
    .select()
    .from(steeredMessages)
    .where(
      and(
        eq(steeredMessages.sessionId, sessionId),
        eq(steeredMessages.idempotencyKey, idempotencyKey),
      ),
    );
  return message;
}
