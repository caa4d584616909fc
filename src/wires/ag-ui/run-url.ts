import type { AgUiRun } from './dialect/ag-ui-run.js';
import type { RunQueryDto } from './run-query.dto.js';

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
  if (from !== 'answers') query.set('from', from);
  if (sendsHistory) query.set('history', '1');
  if (isOld) query.set('old', '1');
  return `/agent/${encodeURIComponent(agent)}/ag-ui/${turnId}?${query.toString()}`;
}

/** @param sessionId of the turn: its thread where none is named. */
export function parseRunAddress(
  { thread, run, answers, from, history, old }: RunQueryDto,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): RunAddress {
  return {
    threadId: thread ?? sessionId,
    runId: run ?? turnId,
    answered: answers?.split(',') ?? [],
    from: from === 'turn' || from === 'questions' ? from : 'answers',
    sendsHistory: history === '1',
    isOld: old === '1',
  };
}
