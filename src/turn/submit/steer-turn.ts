import { steeringTakesNoFiles, sessionQueueFull } from '../state/turn-errors.js';
import { getTurn } from '../state/turn-lookup.js';
import type { TurnServices } from '../state/turn-services.js';
import type { SubmittedTurn, TurnSubmission } from './turn-submission.js';
import { storeSteeredMessage } from './store-steered-message.js';

/**
 * Lets a message join the turn that is running in its session: the model hears it with its next
 * call. Its options are that turn's.
 *
 * @returns undefined when there is no turn any more that could hear it; `key-taken` when a
 *   racing request took the idempotency key.
 * @throws TypedError INVALID_REQUEST for files, SESSION_QUEUE_FULL.
 */
export async function steerTurn(
  services: TurnServices,
  submission: TurnSubmission,
  requestHash: string,
): Promise<SubmittedTurn | 'key-taken' | undefined> {
  const { db, bus, clock, logger, settings } = services;
  const { sessionId, message: text, attachments, files = [], idempotencyKey } = submission;
  if (attachments.length > 0 || files.length > 0) throw steeringTakesNoFiles();
  const now = new Date(clock.now());
  const message = { sessionId, text, requestHash, idempotencyKey, now };
  const joining = await storeSteeredMessage(db, message, settings.sessionQueue);
  switch (joining.type) {
    case 'nobody':
      return undefined;
    case 'key-taken':
      return 'key-taken';
    case 'full':
      throw sessionQueueFull(sessionId, settings.sessionQueue);
    case 'joined': {
      const { turnId, messageId } = joining;
      // A hint that is lost costs time, not the message: it is counted in the turn's row.
      bus
        .publishCancel(turnId)
        .catch((error: unknown) => logger.warn({ turnId, error }, 'a hint was lost'));
      const { onDisconnect } = (await getTurn(db, turnId)).options.options;
      return { turnId, onDisconnect, disposition: { type: 'steered', messageId } };
    }
  }
}
