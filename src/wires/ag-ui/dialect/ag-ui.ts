import { addUsage, type TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect } from '../../framing/dialect.js';
import { followOutput } from '../../framing/output-progress.js';
import { followSegment } from '../../framing/segment.js';
import { growText, discardText } from '../../framing/sent-text.js';
import { harnessDialect } from '../../harness/dialect/harness.js';
import { completeCall, endCall, growCall, requestCall } from './ag-ui-calls.js';
import { endRun, pauseRun } from './ag-ui-end.js';
import { AG_UI_VERSION, type AgUiEvent } from './ag-ui-event.js';
import { forgetStep, wholeConversation } from './ag-ui-messages.js';
import { toOldEvent } from './ag-ui-old.js';
import { openAgain } from './ag-ui-open.js';
import { ask, resolve } from './ag-ui-people.js';
import { close, addText, addThinking, stepName, textId, thinkingId } from './ag-ui-speech.js';
import {
  agUiStart,
  by,
  remember,
  addEvents,
  show,
  showAll,
  type AgUiRun,
  type AgUiState,
  type Of,
  type Speaker,
  type Encoded,
} from './ag-ui-state.js';
import { endSubagent, startSubagent, subagentSpeaker } from './ag-ui-subagents.js';
import { addCall } from './ag-ui-usage.js';

/**
 * The AG-UI wire, version 1.0: a run is a segment of a turn. `RUN_STARTED` is its first event,
 * `RUN_FINISHED` or `RUN_ERROR` its last, and whatever began in it has ended before. What the
 * protocol has no word for is a `CUSTOM` event with the harness wire's name and fields.
 */
export function agUiDialect(run: AgUiRun): Dialect<AgUiState> {
  return {
    name: 'ag-ui',
    initial: agUiStart(run),
    encode: (before, event) => {
      const { state, events } = encodeRun(run, before, event);
      const said = run.isOld ? events.map(toOldEvent) : events;
      return { state, frames: said.map((one) => ({ data: JSON.stringify(one) })) };
    },
    isOver: ({ segment }) => segment.phase === 'over',
  };
}

function encodeRun(run: AgUiRun, before: AgUiState, event: TurnEvent): Encoded {
  const { segment, isIncluded } = followSegment(before.segment, event);
  const { progress: output, partial } = followOutput(before.output, event);
  const state = { ...before, segment, output };
  // Events before the segment are not sent, but those of the segment depend on them.
  if (!isIncluded)
    return {
      state: encodeEvent(run, { state, events: [] }, speakerOf(run), event).state,
      events: [],
    };
  const begun = state.hasBegun ? { state, events: [] } : beginRun(run, state);
  if (event.type === 'turn.ended') return endRun(run, begun, event);
  const followed = encodeEvent(run, begun, speakerOf(run), event);
  const encoded =
    partial === undefined
      ? followed
      : addEvents(followed, { type: 'CUSTOM', name: 'output:partial', value: partial });
  return segment.phase === 'over' ? pauseRun(run, encoded) : encoded;
}

function beginRun(run: AgUiRun, before: AgUiState): Encoded {
  const { threadId, runId } = run;
  // The run before this one has ended what it had open.
  const state: AgUiState = { ...before, hasBegun: true, open: [], usage: [] };
  const started = addEvents(
    { state, events: [] },
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: AG_UI_VERSION },
  );
  const encoded = run.sendsHistory ? addEvents(started, conversation(run, state)) : started;
  if (state.started === undefined) return encoded;
  return addEvents(showAll(run, encoded), ...openAgain(before.open));
}

function conversation({ before }: AgUiRun, { messages }: AgUiState): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages: wholeConversation(before, messages) };
}

function speakerOf({ turnId }: AgUiRun): Speaker {
  return { subagentRunId: undefined, messageId: turnId.replace(/^turn_/, 'msg_') };
}

function encodeEvent(run: AgUiRun, encoded: Encoded, speaker: Speaker, event: TurnEvent): Encoded {
  const isOwn = speaker.subagentRunId === undefined;
  switch (event.type) {
    case 'turn.started':
      return startTurn(run, encoded, speaker, event);
    case 'turn.recovering':
      return addEvents(
        isOwn ? show(encoded, { status: 'recovering' }) : encoded,
        custom(speaker, event),
      );
    case 'step.started':
      return addEvents(isOwn ? rerun(encoded) : encoded, {
        type: 'STEP_STARTED',
        stepName: stepName(event.step),
        ...by(speaker),
      });
    case 'step.discarded':
      return discardStep(run, encoded, speaker, event.step);
    case 'step.ended':
      return endStep(encoded, speaker, event);
    case 'thinking.delta':
      return addThinking(encoded, speaker, event);
    case 'text.delta': {
      const added = addText(encoded, speaker, event);
      return isOwn ? remember(added, { text: growText(added.state.text, event) }) : added;
    }
    case 'tool.requested':
      return requestCall(encoded, speaker, event);
    case 'tool.args.delta':
      return growCall(encoded, speaker, event);
    case 'tool.started':
      return completeCall(isOwn ? rerun(encoded) : encoded, speaker, event);
    case 'tool.ended':
      return endCall(encoded, speaker, event);
    case 'approval.requested':
      return ask(encoded, speaker, event);
    case 'approval.resolved':
      return addEvents(
        isOwn ? rerun(resolve(run, encoded, event)) : resolve(run, encoded, event),
        custom(speaker, event),
      );
    case 'subagent.started':
      return startSubagent(encoded, speaker, event);
    case 'subagent.told':
      return encodeEvent(run, encoded, subagentSpeaker(event.childTurnId), event.event);
    case 'subagent.ended':
      return endSubagent(encoded, event);
    case 'notice.posted':
      return addEvents(isOwn ? showNotice(encoded, event) : encoded, custom(speaker, event));
    case 'turn.failed':
      return remember(encoded, {
        failures: { ...encoded.state.failures, [speaker.subagentRunId ?? '']: event },
      });
    case 'turn.ended':
      return close(encoded, speaker, 'text', 'reasoning', 'call', 'step');
    case 'turn.queued':
    case 'source.cited':
    case 'tool.progress':
    case 'message.joined':
    case 'attachment.rejected':
      return addEvents(encoded, custom(speaker, event));
    // A parked turn ends the run: see `pauseRun`.
    case 'turn.parked':
      return encoded;
    default:
      return assertNever(event);
  }
}

function startTurn(
  run: AgUiRun,
  encoded: Encoded,
  speaker: Speaker,
  event: Of<'turn.started'>,
): Encoded {
  const models = { ...encoded.state.models, [speaker.subagentRunId ?? '']: event.model };
  if (speaker.subagentRunId !== undefined) return remember(encoded, { models });
  return showAll(run, remember(encoded, { models, started: event }));
}

/** The status of a turn that has waited, or recovered, and goes on. */
function rerun(encoded: Encoded): Encoded {
  return encoded.state.view.status === 'running' ? encoded : show(encoded, { status: 'running' });
}

function showNotice(encoded: Encoded, { kind, text }: Of<'notice.posted'>): Encoded {
  return show(encoded, { notices: [...encoded.state.view.notices, { kind, text }] });
}

function endStep(encoded: Encoded, speaker: Speaker, event: Of<'step.ended'>): Encoded {
  const { usage } = event;
  const { models, usage: all, view } = encoded.state;
  const model = models[speaker.subagentRunId ?? ''] ?? models[''] ?? 'unknown';
  const closed = close(encoded, speaker, 'text', 'reasoning', 'call', 'step');
  const counted = remember(closed, { usage: addCall(all, model, usage) });
  if (speaker.subagentRunId !== undefined) return counted;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const contextTokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  return show(counted, { usage: addUsage(view.usage, usage), contextTokens });
}

/**
 * Takes back a step's messages by a snapshot of those that stay, the protocol's only way. After a
 * crash the snapshot is sent in any case: a returning client may have more of the step than a log
 * that lost its tail.
 */
function discardStep(run: AgUiRun, encoded: Encoded, speaker: Speaker, step: number): Encoded {
  const closed = close(encoded, speaker, 'text', 'reasoning', 'call', 'step');
  const ids = { text: textId(speaker, step), thinking: thinkingId(speaker, step) };
  const gone = closed.state.messages.find(({ id }) => id === ids.text)?.toolCalls ?? [];
  const isGone = (callId: string): boolean => gone.some(({ id }) => id === callId);
  const wasSent = closed.state.messages.some(({ id }) => id === ids.text || id === ids.thinking);
  const left = remember(closed, {
    messages: forgetStep(closed.state.messages, ids),
    calls: closed.state.calls.filter(({ id }) => !isGone(id)),
    text:
      speaker.subagentRunId === undefined
        ? discardText(closed.state.text, step)
        : closed.state.text,
  });
  const mayBeSent = wasSent || left.state.view.status === 'recovering';
  return mayBeSent ? addEvents(left, conversation(run, left.state)) : left;
}

/** An event in the harness wire's words. */
function custom(speaker: Speaker, event: TurnEvent): AgUiEvent {
  const [frame] = harnessDialect.encode({}, event).frames;
  const { event: name = event.type, data = '{}' } = frame ?? {};
  return { type: 'CUSTOM', name, value: JSON.parse(data) as unknown, ...by(speaker) };
}
