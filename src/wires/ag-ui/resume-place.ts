import { isId } from '../../platform/ids.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { AgUiRun } from './dialect/ag-ui-state.js';

/** The parts of a run's address: enough for any reader to go on with its stream. */
export type RunPlace = Pick<AgUiRun, 'threadId' | 'runId' | 'answered' | 'tellsBefore'>;

/** The address of a run's stream: its `Location`. */
export function runUrl(
  agent: string,
  { threadId, runId, turnId, answered, tellsBefore }: RunPlace & { turnId: string },
): string {
  const query = new URLSearchParams({ thread: threadId, run: runId });
  if (answered.length > 0) query.set('answers', answered.join(','));
  if (tellsBefore) query.set('history', '1');
  return `/agent/${encodeURIComponent(agent)}/ag-ui/${turnId}?${query.toString()}`;
}

/**
 * @param sessionId of the turn: its thread where none is named.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readRunPlace(
  query: Readonly<Record<string, unknown>>,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): RunPlace {
  const answers = readText(query, 'answers');
  const answered = answers === undefined ? [] : answers.split(',');
  if (!answered.every((id) => isId('appr', id) || isId('msg', id))) {
    throw invalidRequest(
      "'answers' must be ids of approvals or of a joined message, with commas between them",
    );
  }
  return {
    threadId: readText(query, 'thread') ?? sessionId,
    runId: readText(query, 'run') ?? turnId,
    answered,
    tellsBefore: readText(query, 'history') === '1',
  };
}

function readText(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= 4_000) return value;
  throw invalidRequest(`'${name}' must be given once, with at most 4000 characters`);
}
