import type { NewSession } from '../../../src/session/session-store.js';
import type { SubmittedTurn, TurnSubmission } from '../../../src/turn/submit/turn-submission.js';
import type { TestServices } from './turn-services.js';

type Test = Pick<TestServices, 'services' | 'projectRoot'>;

/** @returns the id of a new session in the test's project. */
export async function newSession(test: Test, more: Partial<NewSession> = {}): Promise<string> {
  const { services, projectRoot } = test;
  const asked = { projectRoot, persona: 'WORKING_ITEMS', mode: 'direct', ...more };
  return (await services.sessions.create(asked)).id;
}

/** Submits a turn, by default to a new session. @param more of the submission. */
export async function submit(
  test: Test,
  message: string,
  opts: TurnSubmission['opts'],
  more: Partial<TurnSubmission> = {},
): Promise<SubmittedTurn> {
  return test.services.submitter.submit({
    sessionId: more.sessionId ?? (await newSession(test)),
    message,
    opts,
    attachments: [],
    idempotencyKey: undefined,
    ...more,
  });
}
