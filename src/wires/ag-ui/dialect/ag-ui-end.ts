import { assertNever } from '../../../platform/assert-never.js';
import { compact } from '../../../platform/compact.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import { unsentText } from '../../framing/sent-text.js';
import type { AgUiEvent, AgUiOutcome } from './ag-ui-event.js';
import { closeAll } from './ag-ui-open.js';
import { findWaits } from './ag-ui-people.js';
import { addEvents, show, type AgUiRun, type Of, type Encoded } from './ag-ui-state.js';

/**
 * The end of a run whose turn waits for the client. Parts that go on later stay open in the state.
 */
export function pauseRun({ threadId, runId }: AgUiRun, encoded: Encoded): Encoded {
  const { asked, segment, usage, open } = encoded.state;
  const { toolCallIds, interrupts } = findWaits(asked, segment.waitsFor);
  const interruptsOf = (id: string): string[] =>
    interrupts.flatMap((one) => (one.subagentRunId === id ? one.id : []));
  const ending = closeAll(open, interruptsOf);
  const finished: AgUiEvent = {
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome:
      interrupts.length === 0
        ? { type: 'success', pendingToolCallIds: toolCallIds }
        : { type: 'interrupt', interrupts },
    usage: [...usage],
    // An interrupt outcome has no field for pending calls.
    ...(interrupts.length > 0 && toolCallIds.length > 0
      ? { metadata: { turnpike: { pendingToolCallIds: toolCallIds } } }
      : {}),
  };
  return addEvents(show(addEvents(encoded, ...ending), { status: 'waiting' }), finished);
}

/** The end of a run whose turn has ended. */
export function endRun(run: AgUiRun, encoded: Encoded, event: Of<'turn.ended'>): Encoded {
  const closed = addEvents(encoded, ...closeAll(encoded.state.open));
  const whole = addOutput(addUnsent(run, closed, event), event);
  const shown = show(whole, { status: event.outcome, usage: event.usage });
  return addEvents(shown, lastEvent(run, shown, event));
}

/** The end of the reply that no delta had: the note on a limit, or text that a crash lost. */
function addUnsent({ turnId }: AgUiRun, encoded: Encoded, { text }: Of<'turn.ended'>): Encoded {
  const delta = unsentText(encoded.state.text, text);
  if (delta === '') return encoded;
  const messageId = `${turnId.replace(/^turn_/, 'msg_')}-end`;
  return addEvents(
    encoded,
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
    { type: 'TEXT_MESSAGE_END', messageId },
  );
}

function addOutput(encoded: Encoded, { output }: Of<'turn.ended'>): Encoded {
  if (output === undefined) return encoded;
  return addEvents(encoded, { type: 'CUSTOM', name: 'output:final', value: { output } });
}

function lastEvent(run: AgUiRun, { state }: Encoded, event: Of<'turn.ended'>): AgUiEvent {
  const { outcome, reason, text } = event;
  const { threadId, runId } = run;
  const usage = [...state.usage];
  const finished = (how: AgUiOutcome, result?: unknown): AgUiEvent => ({
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome: how,
    ...(result === undefined ? {} : { result }),
    usage,
    metadata: { turnpike: { outcome, reason } },
  });
  switch (outcome) {
    case 'completed':
    case 'limited':
      return finished(
        { type: 'success' },
        compact({ outcome, reason, text, output: event.output }),
      );
    case 'interrupted':
      return finished({ type: 'cancelled' });
    case 'failed': {
      const failure = state.failures[''];
      const message = failure?.message ?? `The turn failed: ${reason}.`;
      const metadata = { turnpike: retryAdvice(failure ?? {}) };
      return { type: 'RUN_ERROR', message, code: failure?.errorType ?? reason, usage, metadata };
    }
    default:
      return assertNever(outcome);
  }
}
