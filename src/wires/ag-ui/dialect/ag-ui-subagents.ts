import { retryAdvice } from '../../../platform/retry-advice.js';
import { closeAll, openUnder } from './ag-ui-open.js';
import { say, type Of, type Speaker, type Told } from './ag-ui-state.js';

/** A subagent as it speaks: its turn's id is that of its run. */
export function subagentSpeaker(childTurnId: string): Speaker {
  return { subagentRunId: childTurnId, messageId: childTurnId.replace(/^turn_/, 'msg_') };
}

export function startSubagent(told: Told, speaker: Speaker, event: Of<'subagent.started'>): Told {
  const { callId: parentToolCallId, childTurnId, agent: name } = event;
  const { subagentRunId: parent } = speaker;
  return say(told, {
    type: 'SUBAGENT_STARTED',
    subagentRunId: childTurnId,
    name,
    ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
    parentToolCallId,
  });
}

/** Ends what it has open first, also where its own end was not told. */
export function endSubagent(told: Told, event: Of<'subagent.ended'>): Told {
  const { childTurnId: subagentRunId, outcome } = event;
  const { open, failures } = told.state;
  const closed = say(told, ...closeAll(openUnder(open, subagentRunId)));
  if (!open.some(({ kind, id }) => kind === 'subagent' && id === subagentRunId)) return closed;
  if (outcome === 'completed' || outcome === 'limited') {
    const success = { type: 'success' as const };
    return say(closed, {
      type: 'SUBAGENT_FINISHED',
      subagentRunId,
      outcome: success,
      result: { outcome },
    });
  }
  const failure = failures[subagentRunId];
  const message = failure?.message ?? `The subagent did not finish: ${outcome}.`;
  const code = failure?.errorType ?? outcome;
  const metadata = { turnpike: retryAdvice(failure ?? {}) };
  return say(closed, { type: 'SUBAGENT_ERROR', subagentRunId, message, code, metadata });
}
