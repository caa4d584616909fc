import { invalidRequest } from '../../errors/typed-error.js';
import { isId } from '../../platform/ids.js';
import type { AgUiRun } from './dialect/ag-ui-state.js';

/** The parts of a run's address: enough for any reader to go on with its stream. */
export type RunAddress = Pick<
  AgUiRun,
  'threadId' | 'runId' | 'answered' | 'from' | 'sendsHistory' | 'isOld'
>;

/** The address of a run's stream: its `Location`. */
export function runUrl(
  agent: string,
  { threadId, runId, turnId, answered, from, sendsHistory, isOld }: RunAddress & { turnId: string },
): string {
  const query = new URLSearchParams({ thread: threadId, run: runId });
  if (answered.length > 0) query.set('answers', answered.join(','));
  if (from === 'turn') query.set('from', from);
  if (sendsHistory) query.set('history', '1');
  if (isOld) query.set('old', '1');
  return `/agent/${encodeURIComponent(agent)}/ag-ui/${turnId}?${query.toString()}`;
}

/**
 * @param sessionId of the turn: its thread where none is named.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseRunAddress(
  query: Readonly<Record<string, unknown>>,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): RunAddress {
  const answers = parseText(query, 'answers');
  const answered = answers === undefined ? [] : answers.split(',');
  if (!answered.every((id) => isId('appr', id) || isId('msg', id))) {
    throw invalidRequest(
      "'answers' must be ids of approvals or of a joined message, with commas between them",
    );
  }
  return {
    threadId: parseText(query, 'thread') ?? sessionId,
    runId: parseText(query, 'run') ?? turnId,
    answered,
    from: parseText(query, 'from') === 'turn' ? 'turn' : 'answers',
    sendsHistory: parseText(query, 'history') === '1',
    isOld: parseText(query, 'old') === '1',
  };
}

function parseText(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= 4_000) return value;
  throw invalidRequest(`'${name}' must be given once, with at most 4000 characters`);
}
