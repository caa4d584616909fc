import { addUsage, type TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect } from '../../framing/dialect.js';
import { followSegment } from '../../framing/segment.js';
import { completeCall, endCall, growCall, requestCall } from './ag-ui-calls.js';
import { endRun, pauseRun } from './ag-ui-end.js';
import { AG_UI_VERSION, type AgUiEvent } from './ag-ui-event.js';
import { forgetStep, wholeConversation } from './ag-ui-messages.js';
import { openAgain } from './ag-ui-open.js';
import { ask, resolve } from './ag-ui-people.js';
import { close, sayText, sayThinking, stepName, textId, thinkingId } from './ag-ui-speech.js';
import {
  agUiStart,
  by,
  remember,
  say,
  show,
  showAll,
  type AgUiRun,
  type AgUiState,
  type Of,
  type Speaker,
  type Told,
} from './ag-ui-state.js';
import { endSubagent, startSubagent, subagentSpeaker } from './ag-ui-subagents.js';
import { addCall } from './ag-ui-usage.js';
import { harnessDialect } from '../../harness/dialect/harness.js';
import { growText, discardText } from '../../framing/said-text.js';

/**
 * The AG-UI wire, version 1.0: a run is a segment of a turn. `RUN_STARTED` is its first event,
 * `RUN_FINISHED` or `RUN_ERROR` its last, and whatever began in it has ended before. What the
 * protocol has no word for is a `CUSTOM` event with the harness wire's name and fields.
 */
export function agUiDialect(run: AgUiRun): Dialect<AgUiState> {
  return {
    name: 'ag-ui',
    initial: agUiStart(run.answered),
    encode: (before, event) => {
      const { state, events } = tellRun(run, before, event);
      return { state, frames: events.map((one) => ({ data: JSON.stringify(one) })) };
    },
    isOver: ({ segment }) => segment.phase === 'over',
  };
}

function tellRun(run: AgUiRun, before: AgUiState, event: TurnEvent): Told {
  const { segment, isSaid } = followSegment(before.segment, event);
  const state = { ...before, segment };
  // Events before the segment are not sent, but those of the segment depend on them.
  if (!isSaid)
    return { state: tell(run, { state, events: [] }, speakerOf(run), event).state, events: [] };
  const begun = state.hasBegun ? { state, events: [] } : beginRun(run, state);
  if (event.type === 'turn.ended') return endRun(run, begun, event);
  const told = tell(run, begun, speakerOf(run), event);
  return segment.phase === 'over' ? pauseRun(run, told) : told;
}

function beginRun(run: AgUiRun, before: AgUiState): Told {
  const { threadId, runId } = run;
  // The run before this one has ended what it had open.
  const state: AgUiState = { ...before, hasBegun: true, open: [], usage: [] };
  const started = say(
    { state, events: [] },
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: AG_UI_VERSION },
  );
  const told = run.tellsBefore ? say(started, conversation(run, state)) : started;
  if (state.started === undefined) return told;
  return say(showAll(run, told), ...openAgain(before.open));
}

function conversation({ before }: AgUiRun, { messages }: AgUiState): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages: wholeConversation(before, messages) };
}

function speakerOf({ turnId }: AgUiRun): Speaker {
  return { subagentRunId: undefined, messageId: turnId.replace(/^turn_/, 'msg_') };
}

function tell(run: AgUiRun, told: Told, speaker: Speaker, event: TurnEvent): Told {
  const isOwn = speaker.subagentRunId === undefined;
  switch (event.type) {
    case 'turn.started':
      return startTurn(run, told, speaker, event);
    case 'turn.recovering':
      return say(isOwn ? show(told, { status: 'recovering' }) : told, custom(speaker, event));
    case 'step.started':
      return say(isOwn ? rerun(told) : told, {
        type: 'STEP_STARTED',
        stepName: stepName(event.step),
        ...by(speaker),
      });
    case 'step.discarded':
      return discardStep(run, told, speaker, event.step);
    case 'step.ended':
      return endStep(told, speaker, event);
    case 'thinking.delta':
      return sayThinking(told, speaker, event);
    case 'text.delta': {
      const said = sayText(told, speaker, event);
      return isOwn ? remember(said, { text: growText(said.state.text, event) }) : said;
    }
    case 'tool.requested':
      return requestCall(told, speaker, event);
    case 'tool.args.delta':
      return growCall(told, speaker, event);
    case 'tool.started':
      return completeCall(isOwn ? rerun(told) : told, speaker, event);
    case 'tool.ended':
      return endCall(told, speaker, event);
    case 'approval.requested':
      return ask(told, speaker, event);
    case 'approval.resolved':
      return say(
        isOwn ? rerun(resolve(told, event)) : resolve(told, event),
        custom(speaker, event),
      );
    case 'subagent.started':
      return startSubagent(told, speaker, event);
    case 'subagent.told':
      return tell(run, told, subagentSpeaker(event.childTurnId), event.event);
    case 'subagent.ended':
      return endSubagent(told, event);
    case 'notice.posted':
      return say(isOwn ? showNotice(told, event) : told, custom(speaker, event));
    case 'turn.failed':
      return remember(told, {
        failures: { ...told.state.failures, [speaker.subagentRunId ?? '']: event },
      });
    case 'turn.ended':
      return close(told, speaker, 'text', 'reasoning', 'call', 'step');
    case 'turn.queued':
    case 'source.cited':
    case 'tool.progress':
    case 'message.joined':
    case 'attachment.rejected':
      return say(told, custom(speaker, event));
    // A parked turn ends the run: see `pauseRun`.
    case 'turn.parked':
      return told;
    default:
      return assertNever(event);
  }
}

function startTurn(run: AgUiRun, told: Told, speaker: Speaker, event: Of<'turn.started'>): Told {
  const models = { ...told.state.models, [speaker.subagentRunId ?? '']: event.model };
  if (speaker.subagentRunId !== undefined) return remember(told, { models });
  return showAll(run, remember(told, { models, started: event }));
}

/** The status of a turn that has waited, or recovered, and goes on. */
function rerun(told: Told): Told {
  return told.state.view.status === 'running' ? told : show(told, { status: 'running' });
}

function showNotice(told: Told, { kind, text }: Of<'notice.posted'>): Told {
  return show(told, { notices: [...told.state.view.notices, { kind, text }] });
}

function endStep(told: Told, speaker: Speaker, event: Of<'step.ended'>): Told {
  const { usage } = event;
  const { models, usage: all, view } = told.state;
  const model = models[speaker.subagentRunId ?? ''] ?? models[''] ?? 'unknown';
  const closed = close(told, speaker, 'text', 'reasoning', 'call', 'step');
  const counted = remember(closed, { usage: addCall(all, model, usage) });
  if (speaker.subagentRunId !== undefined) return counted;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const contextTokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  return show(counted, { usage: addUsage(view.usage, usage), contextTokens });
}

/**
 * The protocol takes nothing back but by saying all that stays. After a crash it is said in any case: a
 * client that comes back may have more of the step than a log that lost its tail.
 */
function discardStep(run: AgUiRun, told: Told, speaker: Speaker, step: number): Told {
  const closed = close(told, speaker, 'text', 'reasoning', 'call', 'step');
  const ids = { text: textId(speaker, step), thinking: thinkingId(speaker, step) };
  const gone = closed.state.messages.find(({ id }) => id === ids.text)?.toolCalls ?? [];
  const isGone = (callId: string): boolean => gone.some(({ id }) => id === callId);
  const said = closed.state.messages.some(({ id }) => id === ids.text || id === ids.thinking);
  const left = remember(closed, {
    messages: forgetStep(closed.state.messages, ids),
    calls: closed.state.calls.filter(({ id }) => !isGone(id)),
    text:
      speaker.subagentRunId === undefined
        ? discardText(closed.state.text, step)
        : closed.state.text,
  });
  const mayBeSaid = said || left.state.view.status === 'recovering';
  return mayBeSaid ? say(left, conversation(run, left.state)) : left;
}

/** An event in the harness wire's words. */
function custom(speaker: Speaker, event: TurnEvent): AgUiEvent {
  const [frame] = harnessDialect.encode({}, event).frames;
  const { event: name = event.type, data = '{}' } = frame ?? {};
  return { type: 'CUSTOM', name, value: JSON.parse(data) as unknown, ...by(speaker) };
}
