import type { Logger } from '../../platform/logger.js';
import type { TurnService } from '../../turn/turn-service.js';

interface SubmitFirstDeps {
  turns: Pick<TurnService, 'deleteSession'>;
  logger: Pick<Logger, 'warn'>;
}

/** Submits the first turn of a session. Where the turn is refused, the session goes: no client knows it. */
export async function submitFirst<Submitted>(
  { turns, logger }: SubmitFirstDeps,
  { sessionId, principalId }: { sessionId: string; principalId: string },
  submit: () => Promise<Submitted>,
): Promise<Submitted> {
  try {
    return await submit();
  } catch (error) {
    await turns
      .deleteSession(sessionId, principalId)
      .catch((fault: unknown) =>
        logger.warn(
          { sessionId, error: fault },
          'the session of a refused turn could not be removed',
        ),
      );
    throw error;
  }
}
