import { assertNever } from '../../../platform/assert-never.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import type { AgUiEvent, AgUiOutcome } from './ag-ui-event.js';
import { closeAll } from './ag-ui-open.js';
import { findWaits } from './ag-ui-people.js';
import { say, show, type AgUiRun, type Of, type Told } from './ag-ui-state.js';
import { unsaidText } from '../../framing/said-text.js';

/** The end of a run whose turn waits for the client. What goes on later stays in mind as open. */
export function pauseRun({ threadId, runId }: AgUiRun, told: Told): Told {
  const { asked, segment, usage, open } = told.state;
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
    // An interrupt outcome has no place for them.
    ...(interrupts.length > 0 && toolCallIds.length > 0
      ? { metadata: { turnpike: { pendingToolCallIds: toolCallIds } } }
      : {}),
  };
  return say(show(say(told, ...ending), { status: 'waiting' }), finished);
}

/** The end of a run whose turn has ended. */
export function endRun(run: AgUiRun, told: Told, event: Of<'turn.ended'>): Told {
  const closed = say(told, ...closeAll(told.state.open));
  const whole = sayUnsaid(run, closed, event);
  const shown = show(whole, { status: event.outcome, usage: event.usage });
  return say(shown, lastEvent(run, shown, event));
}

/** The end of the reply that no delta had: the note on a limit, or text that a crash lost. */
function sayUnsaid({ turnId }: AgUiRun, told: Told, { text }: Of<'turn.ended'>): Told {
  const delta = unsaidText(told.state.text, text);
  if (delta === '') return told;
  const messageId = `${turnId.replace(/^turn_/, 'msg_')}-end`;
  return say(
    told,
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
    { type: 'TEXT_MESSAGE_END', messageId },
  );
}

function lastEvent(run: AgUiRun, { state }: Told, event: Of<'turn.ended'>): AgUiEvent {
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
      return finished({ type: 'success' }, { outcome, reason, text });
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
