import type { AgUiInterrupt } from './ag-ui-event.js';
import { completeCall } from './ag-ui-calls.js';
import {
  by,
  remember,
  type AskedApproval,
  type Of,
  type Speaker,
  type Told,
} from './ag-ui-state.js';

/** A question: it is said when the run ends, as what it waits for. */
export function ask(told: Told, speaker: Speaker, event: Of<'approval.requested'>): Told {
  const { subagentRunId } = speaker;
  const asked = [...told.state.asked, { event, subagentRunId }];
  return remember(completeCall(told, speaker, event), { asked });
}

export function resolve(told: Told, event: Of<'approval.resolved'>): Told {
  const { approvalId, callId, decision } = event;
  const asked = told.state.asked.filter((one) => one.event.approvalId !== approvalId);
  const { answeredCalls: before } = told.state;
  const answeredCalls = decision === 'answer' ? [...before, callId] : before;
  return remember(told, { asked, answeredCalls });
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
