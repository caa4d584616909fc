import { retryAdvice } from '../../../platform/retry-advice.js';
import { closeAll, openUnder } from './ag-ui-open.js';
import { addEvents, type Of, type Speaker, type Encoded } from './ag-ui-state.js';

/** A subagent as it speaks: its turn's id is that of its run. */
export function subagentSpeaker(childTurnId: string): Speaker {
  return { subagentRunId: childTurnId, messageId: childTurnId.replace(/^turn_/, 'msg_') };
}

export function startSubagent(
  encoded: Encoded,
  speaker: Speaker,
  event: Of<'subagent.started'>,
): Encoded {
  const { callId: parentToolCallId, childTurnId, agent: name } = event;
  const { subagentRunId: parent } = speaker;
  return addEvents(encoded, {
    type: 'SUBAGENT_STARTED',
    subagentRunId: childTurnId,
    name,
    ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
    parentToolCallId,
  });
}

/** Ends everything that the subagent has open first, also where its own end is not in the log. */
export function endSubagent(encoded: Encoded, event: Of<'subagent.ended'>): Encoded {
  const { childTurnId: subagentRunId, outcome } = event;
  const { open, failures } = encoded.state;
  const closed = addEvents(encoded, ...closeAll(openUnder(open, subagentRunId)));
  if (!open.some(({ kind, id }) => kind === 'subagent' && id === subagentRunId)) return closed;
  if (outcome === 'completed' || outcome === 'limited') {
    const success = { type: 'success' as const };
    return addEvents(closed, {
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
  return addEvents(closed, { type: 'SUBAGENT_ERROR', subagentRunId, message, code, metadata });
}
