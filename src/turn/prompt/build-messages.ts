import { asSystemBlock, escapeSystemTags } from '../../governance/notices/trigger.js';
import type { ModelMessage, UserPart } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import { unendedStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import type { TranscriptStep, TurnTranscript } from '../state/attempt-context.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { dropOpenServerTools, hasOpenServerTool } from '../state/server-calls.js';
import { callKey, partKey, stepKey, withoutLeftOut, type PartKeys } from './left-out-content.js';
import { isThinking, MessageList } from './message-list.js';

/** The parts of a request beside the turns. */
export interface PromptFrame {
  model: Pick<Model, 'takesSystemMessages' | 'bindsThinking'>;
  system: string;
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. */
  serverTools?: readonly ServerTool[];
  /** The text that stands for the turns before the first. */
  summary?: string | undefined;
  /** Steps up to this one, `turnId:step`, are sent without their thinking. */
  thinkingAfter?: string | undefined;
  /** What is left out of the turns. Absent: nothing. */
  leftOut?: readonly string[];
}

export interface BuiltMessages {
  messages: readonly ModelMessage[];
  /** The prefix that thinking in the reply is bound to; null where the model does not bind it. */
  sent: SentPrefix | null;
  /** The keys of the parts that can be left out. */
  keys: PartKeys;
}

/**
 * The messages of a model call, from stored rows alone: the same turns give the same bytes, step
 * after step and after a crash. Pure.
 *
 * Every tool call is answered, as providers demand. A turn that was cut has a mark in the history,
 * so that the model does not take half an answer for a whole one. A model that binds thinking gets
 * only thinking that was made after the same prefix.
 */
export function buildMessages(turns: readonly TurnTranscript[], frame: PromptFrame): BuiltMessages {
  const { list, thinking } = buildTurns(turns, frame);
  const hash = list.digest();
  const { messages, keys } = list;
  if (hash === undefined) return { messages, sent: null, keys };
  const kept = keepThinking(thinking, frame.thinkingAfter);
  const keptSteps = thinking.filter(({ key }) => kept.has(key));
  const parts = new Set(keptSteps.flatMap((step) => step.parts));
  const sent = { hash, thinkingFrom: keptSteps[0]?.key ?? null };
  return { messages: list.withThinking(parts), sent, keys };
}

/** The messages of turns, with the thinking of all of them. */
interface BuiltTurns {
  turns: readonly TurnTranscript[];
  /** The other inputs that the messages depend on, as JSON. */
  frame: string;
  list: MessageList;
  thinking: readonly BoundThinking[];
}

type BoundThinking = ThinkingStep & { parts: readonly AssistantPart[] };

/**
 * The messages that were built of ended turns, by the last of these turns. A request of a session begins with the same
 * messages as the request before it, so that only later turns need to be added.
 */
const builtTurns = new WeakMap<TurnTranscript, BuiltTurns>();

function buildTurns(
  turns: readonly TurnTranscript[],
  frame: PromptFrame,
): Pick<BuiltTurns, 'list' | 'thinking'> {
  const { leftOut = [], summary, model } = frame;
  const begin = bindingOf(frame);
  const key = JSON.stringify([leftOut, summary, model.takesSystemMessages, begin]);
  const before = turns.slice(0, -1);
  const known = findBuilt(before, key);
  const added = before.slice(known?.turns.length ?? 0);
  const start = known ?? { list: openList(begin, summary), thinking: [] };
  const built = added.length === 0 ? start : addTurns(start, added, frame);
  const [beforeLast, last] = [before.at(-2), before.at(-1)];
  if (last !== undefined && last !== known?.turns.at(-1) && !added.some(showsFiles)) {
    builtTurns.set(last, { ...built, turns: before, frame: key });
    // One copy of a conversation is enough.
    if (beforeLast !== undefined) builtTurns.delete(beforeLast);
  }
  return addTurns(built, turns.slice(-1), frame);
}

/** Whether a turn shows files, whose bytes are not kept from turn to turn. */
function showsFiles({ userParts, results }: TurnTranscript): boolean {
  return (
    userParts.some(({ type }) => type !== 'text') ||
    [...results.values()].some(({ shown = [] }) => shown.length > 0)
  );
}

function openList(begin: string | undefined, summary: string | undefined): MessageList {
  const list = new MessageList(begin);
  if (summary !== undefined) list.user([{ type: 'text', text: summaryText(summary) }]);
  return list;
}

/** Finds messages that were built for the same frame: of all these turns, or else of all but the last. */
function findBuilt(turns: readonly TurnTranscript[], frame: string): BuiltTurns | undefined {
  for (const last of turns.slice(-2).toReversed()) {
    const built = builtTurns.get(last);
    const isBeginning = built?.turns.every((turn, index) => turn === turns[index]) === true;
    if (built !== undefined && isBeginning && built.frame === frame) return built;
  }
  return undefined;
}

/** The part of the request before the messages that thinking is bound to; undefined if the model does not bind it. */
function bindingOf({ model, system, tools, serverTools = [] }: PromptFrame): string | undefined {
  return model.bindsThinking ? JSON.stringify([system, tools, ...serverTools]) : undefined;
}

function addTurns(
  built: Pick<BuiltTurns, 'list' | 'thinking'>,
  turns: readonly TurnTranscript[],
  frame: PromptFrame,
): Pick<BuiltTurns, 'list' | 'thinking'> {
  const list = new MessageList(built.list);
  const thinking = [...built.thinking];
  for (const turn of withoutLeftOut(turns, frame.leftOut ?? [])) {
    const { turnId } = turn;
    list.ask(turn.userParts.map(escaped), (index) => partKey(turnId, index));
    addSteered(list, turn, 0);
    addNotices(list, noticesAfter(turn, 0), frame.model);
    for (const step of sentSteps(turn)) {
      const digest = list.digest();
      const parts = step.parts.filter(isThinking);
      if (digest !== undefined && parts.length > 0) {
        const key = `${turn.turnId}:${step.step}`;
        thinking.push({ key, digest, sent: step.sent, parts });
      }
      list.assistant(step.parts, stepKey(turnId, step.step));
      const calls = step.parts.filter((part) => part.type === 'tool_use');
      const answers = calls.flatMap((call) => {
        const key = callKey(turnId, call.id);
        return answer(call, turn).map((part) => ({ part, key }));
      });
      list.user(
        answers.map(({ part }) => part),
        (index) => answers[index]?.key ?? '',
      );
      addSteered(list, turn, step.step);
      // A reply goes on by itself only while a provider's tool runs.
      if (step.stopReason === 'pause_turn' && !hasOpenServerTool([step])) {
        list.user([{ type: 'text', text: 'Go on.' }]);
      }
      if (step.stopReason === 'context_window') addNotices(list, [wentOn], frame.model);
      addNotices(list, noticesAfter(turn, step.step), frame.model);
    }
    // A message that was steered into a refused reply was no part of it.
    const refused = turn.steps.filter(({ stopReason }) => stopReason === 'refusal');
    for (const { step } of refused) addSteered(list, turn, step);
    const cut = cutMarker(turn);
    if (cut !== undefined) list.assistant([{ type: 'text', text: cut }]);
  }
  return { list, thinking };
}

const wentOn = {
  kind: 'window-full',
  text: 'The reply was cut off because the window was full. What came before is shorter now: go on where it was cut.',
};

/** The user message that carries a summary. */
export function summaryText(summary: string): string {
  return `What came before in this conversation, in short:\n\n${escapeSystemTags(summary)}`;
}

/**
 * The steps of a turn as they are sent, without refused replies: the provider would refuse again. A
 * provider's tool without a result is dropped in a turn that is over, and in a step that is
 * followed by words, which end the reply: it would never get its result.
 */
function sentSteps(turn: TurnTranscript): readonly TranscriptStep[] {
  const steps = turn.steps.filter(({ stopReason }) => stopReason !== 'refusal');
  const isOver = !unendedStatuses.some((status) => status === turn.status);
  if (isOver) return dropOpenServerTools(steps);
  return steps.flatMap((step) => (isFollowed(step, turn) ? dropOpenServerTools([step]) : [step]));
}

function isFollowed({ step }: TranscriptStep, turn: TurnTranscript): boolean {
  return (
    turn.steered.some(({ afterStep }) => afterStep === step) || noticesAfter(turn, step).length > 0
  );
}

/** Adds the steered messages where the model first got them. */
function addSteered(list: MessageList, { steered }: TurnTranscript, step: number): void {
  const parts = steered
    .filter(({ afterStep }) => afterStep === step)
    .map(({ text }): UserPart => ({ type: 'text', text }));
  list.user(parts.map(escaped));
}

function noticesAfter(turn: TurnTranscript, step: number) {
  // The summary itself stands before the conversation.
  return turn.notices.filter(
    ({ kind, seenByModel, afterStep }) =>
      seenByModel && afterStep === step && kind !== 'compact-summary',
  );
}

/**
 * Adds notices for the model: as a system message where the model takes one, which is only after a
 * user's; else as a marked block of the user's message.
 */
function addNotices(
  list: MessageList,
  notices: readonly { kind: string; text: string }[],
  { takesSystemMessages }: PromptFrame['model'],
): void {
  if (notices.length === 0) return;
  if (takesSystemMessages && list.system(notices.map(({ text }) => text).join('\n\n'))) return;
  list.user(
    notices.map(({ kind, text }) => ({ type: 'text' as const, text: asSystemBlock(kind, text) })),
  );
}

/** Text from people, files and tools never passes for the server's own. */
function escaped(part: UserPart): UserPart {
  if (part.type === 'tool_result') {
    const output = escapeSystemTags(part.output);
    return part.files === undefined
      ? { ...part, output }
      : { ...part, output, files: part.files.map(escaped) };
  }
  if (part.type !== 'text' && part.type !== 'document') return part;
  return { ...part, text: escapeSystemTags(part.text) };
}

/** The result of a call. An error has text alone, as the API demands: its files follow the results. */
function answer(call: { id: string }, turn: TurnTranscript): UserPart[] {
  const result = turn.results.get(call.id);
  const output = result?.output ?? 'This call was not run: the turn ended before it.';
  const isError = result?.status !== 'success';
  const shown = [...(result?.shown ?? [])];
  const part = { type: 'tool_result' as const, callId: call.id, output, isError };
  if (shown.length === 0) return [escaped(part)];
  return isError ? [escaped(part), ...shown.map(escaped)] : [escaped({ ...part, files: shown })];
}

const cutTexts: Partial<Record<TurnStatus, string>> = {
  interrupted: '[This reply was interrupted before it was complete.]',
  failed: '[This reply ended with an error before it was complete.]',
};

function cutMarker(turn: TurnTranscript): string | undefined {
  if (turn.status === 'limited')
    return `[This reply was cut off: ${turn.endReason ?? 'limit reached'}.]`;
  return cutTexts[turn.status];
}

/** A step with thinking, as it stands in a request. */
export interface ThinkingStep {
  /** `turnId:step`. */
  key: string;
  /** The hash of everything before it in this request. */
  digest: string;
  /** The prefix of the request it was made by; null where none was stored. */
  sent: SentPrefix | null;
}

/**
 * The steps whose thinking a model with bound thinking accepts: those whose request began as this
 * one does, back to the first that did not. Thinking that is left out once stays left out, because
 * later replies were made without it. Pure.
 *
 * @param after steps up to this one are sent without: the provider refused their thinking.
 */
export function keepThinking(
  steps: readonly ThinkingStep[],
  after: string | undefined,
): ReadonlySet<string> {
  const kept = new Set<string>();
  let oldest = 0;
  for (let index = steps.length - 1; index >= oldest; index -= 1) {
    const step = steps[index];
    if (step?.sent === undefined || step.sent === null) break;
    if (step.key === after || step.sent.hash !== step.digest) break;
    kept.add(step.key);
    const { thinkingFrom } = step.sent;
    const from = thinkingFrom === null ? index : steps.findIndex(({ key }) => key === thinkingFrom);
    oldest = Math.max(oldest, from);
  }
  return kept;
}
