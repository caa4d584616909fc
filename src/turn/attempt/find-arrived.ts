import type { Facts } from '../../notices/trigger.js';
import type { Attempt } from '../state/attempt.js';

type Parked = Pick<Attempt, 'approvals' | 'children'> & {
  turn: Pick<Attempt['turn'], 'attempt' | 'parkedAttempt'>;
};

/**
 * Results that came while the turn was parked: of tools that its client runs, and of subagents that an
 * earlier attempt had started. Pure.
 */
export function findArrived({ turn, approvals, children }: Parked): Facts['background'] {
  const answered = approvals
    .filter(({ kind, decision }) => kind === 'client-tool' && decision === 'answer')
    .map(({ id, name, isError }) => ({
      id,
      text: `${name} has ${isError === true ? 'failed' : 'ended'}: its client answered while the turn waited.`,
    }));
  if (turn.parkedAttempt !== turn.attempt - 1) return answered;
  const ended = children
    .filter(({ usage, isOver }) => usage !== undefined && !isOver)
    .map(({ id, agent }) => ({
      id,
      text: `The subagent ${agent} has ended while the turn waited.`,
    }));
  return [...answered, ...ended];
}
