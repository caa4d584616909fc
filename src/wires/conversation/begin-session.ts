import { isSessionMissing } from '../../session/session-errors.js';
import { submitFirst, type SubmitFirstDeps } from './submit-first.js';

/** A session, and whether it was created for the request that found it. */
export interface FoundSession {
  sessionId: string;
  isNew: boolean;
}

/**
 * Submits to a session that `open` finds or creates. The session of a turn that is refused goes, if it was
 * created for that turn. A simultaneous request that had found it opens it again, once.
 *
 * @throws what `open` and `submit` throw.
 */
export async function beginSession<Submitted>(
  deps: SubmitFirstDeps,
  open: () => Promise<FoundSession>,
  submit: (sessionId: string) => Promise<Submitted>,
): Promise<Submitted> {
  const begin = async (): Promise<Submitted> => {
    const { sessionId, isNew } = await open();
    return isNew ? submitFirst(deps, sessionId, () => submit(sessionId)) : submit(sessionId);
  };
  try {
    return await begin();
  } catch (error) {
    if (!isSessionMissing(error, 'NO_SUCH_SESSION')) throw error;
  }
  return begin();
}
