import { completeCall } from './ag-ui-calls.js';
import type { AgUiInterrupt } from './ag-ui-event.js';
import {
  by,
  remember,
  type AgUiRun,
  type AskedApproval,
  type Of,
  type Speaker,
  type Encoded,
} from './ag-ui-state.js';

/** A question is sent at the end of the run, as an interrupt that the run waits for. */
export function ask(encoded: Encoded, speaker: Speaker, event: Of<'approval.requested'>): Encoded {
  const { subagentRunId } = speaker;
  const asked = [...encoded.state.asked, { event, subagentRunId }];
  return remember(completeCall(encoded, speaker, event), { asked });
}

/** A client that reads a turn anew lacks the outputs that it gave. */
export function resolve(
  { from }: Pick<AgUiRun, 'from'>,
  encoded: Encoded,
  event: Of<'approval.resolved'>,
): Encoded {
  const { approvalId, callId, decision } = event;
  const asked = encoded.state.asked.filter((one) => one.event.approvalId !== approvalId);
  const { answeredCalls: before } = encoded.state;
  const hasOutput = decision === 'answer' && from === 'answers';
  const answeredCalls = hasOutput ? [...before, callId] : before;
  return remember(encoded, { asked, answeredCalls });
}

/** Questions that a run waits for, in the order they were asked: to the client's tools, and to people. */
export function findWaits(
  asked: readonly AskedApproval[],
  waitsFor: readonly string[],
): { toolCallIds: string[]; interrupts: AgUiInterrupt[] } {
  const waits = asked.filter(({ event }) => waitsFor.includes(event.approvalId));
  const isCall = ({ event }: AskedApproval): boolean => event.kind === 'client-tool';
  return {
    toolCallIds: waits.filter(isCall).map(({ event }) => event.callId),
    interrupts: waits.filter((one) => !isCall(one)).map(toInterrupt),
  };
}

function toInterrupt({ event, subagentRunId }: AskedApproval): AgUiInterrupt {
  const { approvalId, callId, kind, name, input, reason, expiresAt, onTimeout } = event;
  return {
    id: approvalId,
    reason: 'tool_call',
    message: reason,
    toolCallId: callId,
    expiresAt,
    responseSchema: kind === 'tool' ? editableAnswer : plainAnswer,
    ...by({ subagentRunId }),
    metadata: { turnpike: { kind, name, input, onTimeout } },
  };
}

const fields = { approved: { type: 'boolean' }, reason: { type: 'string' } };

const plainAnswer = { type: 'object', properties: fields, required: ['approved'] };

const editableAnswer = {
  type: 'object',
  properties: { ...fields, editedArgs: { type: 'object' } },
  required: ['approved'],
};
