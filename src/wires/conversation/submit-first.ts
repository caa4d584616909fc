import type { Logger } from '../../platform/logger.js';

export interface SubmitFirstDeps {
  /** Removes a session. */
  remove(sessionId: string): Promise<void>;
  logger: Pick<Logger, 'warn'>;
}

/** Submits the first turn of a session. Where the turn is refused, the session goes: no client knows it. */
export async function submitFirst<Submitted>(
  { remove, logger }: SubmitFirstDeps,
  sessionId: string,
  submit: () => Promise<Submitted>,
): Promise<Submitted> {
  try {
    return await submit();
  } catch (error) {
    await remove(sessionId).catch((fault: unknown) =>
      logger.warn(
        { sessionId, error: fault },
        'the session of a refused turn could not be removed',
      ),
    );
    throw error;
  }
}
