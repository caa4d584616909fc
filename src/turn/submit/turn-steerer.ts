import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { asksForOutput } from '../../options/check-output.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import {
  sessionQueueFull,
  steeringTakesNoFiles,
  steeringTakesNoOutput,
} from '../state/turn-errors.js';
import { getTurn } from '../state/turn-lookup.js';
import { storeSteeredMessage } from './store-steered-message.js';
import type { SubmittedTurn, TurnSubmission } from './turn-submission.js';

export interface Steering {
  submission: TurnSubmission;
  requestHash: string;
  /** Logger of the request. */
  logger: Pick<Logger, 'warn'>;
}

@Injectable()
export class TurnSteerer {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'sessionQueue'>,
  ) {}

  /**
   * Sends a message into the turn that is running in its session: the model has it with its next call.
   * The options of the message are that turn's.
   *
   * @returns undefined when no turn is left that could take the message; `key-taken` when a racing
   *   request took the idempotency key.
   * @throws TypedError INVALID_REQUEST for files and for an output of its own, SESSION_QUEUE_FULL.
   */
  async steer({
    submission,
    requestHash,
    logger,
  }: Steering): Promise<SubmittedTurn | 'key-taken' | undefined> {
    const { sessionId, message: text, attachments, files = [], idempotencyKey } = submission;
    if (attachments.length > 0 || files.length > 0) throw steeringTakesNoFiles();
    if (asksForOutput(submission.opts)) throw steeringTakesNoOutput();
    const now = new Date(this.clock.now());
    const { clientMessageId: clientId, instructions } = submission;
    const said = { sessionId, text, clientId, instructions };
    const message = { ...said, requestHash, idempotencyKey, now };
    const { sessionQueue } = this.config;
    const stored = await storeSteeredMessage(this.db, message, sessionQueue);
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
        this.bus
          .publishCancel(turnId)
          .catch((error: unknown) => logger.warn({ turnId, error }, 'a hint was lost'));
        const { onDisconnect } = (await getTurn(this.db, turnId)).options.options;
        return { turnId, onDisconnect, disposition: { type: 'steered', messageId } };
      }
    }
  }
}
