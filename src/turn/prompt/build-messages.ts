import { escapeSystemTags } from '../../governance/notices/trigger.js';
import type { ModelMessage } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import type { ShownResult, TranscriptStep, TurnTranscript } from '../state/attempt-context.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { withoutLeftOut } from './left-out-content.js';
import { searchKey, searchOf, withKnownTools } from './deferred-tools.js';
import { MessageList, type PartKeys } from './message-list.js';
import { addEnd, addSteps, type Built, type ThinkingStep } from './turn-messages.js';

/** The parts of a request beside the turns. */
export interface PromptFrame {
  model: Pick<Model, 'takesSystemMessages' | 'bindsThinking' | 'toolSearch'>;
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
  const sent = { hash, thinkingFrom: keptSteps[0]?.key ?? null };
  if (keptSteps.length === thinking.length) return { messages, sent, keys };
  const parts = new Set(keptSteps.flatMap((step) => step.parts));
  return { messages: list.withThinking(parts), sent, keys };
}

interface BuiltTurns extends Readonly<Built> {
  turns: readonly TurnTranscript[];
  /** The other inputs that the messages depend on, as JSON. */
  frame: string;
}

/**
 * The messages that were built of ended neighbouring turns without files, by the last of these turns, and without what
 * stands before them. A request of a session begins with the same messages as the request before it, so that only
 * later turns, and those that show files, need to be added.
 */
const builtRuns = new WeakMap<TurnTranscript, BuiltTurns>();

/** The messages that were built up to a step of a running turn, by that step. The next request adds the step after it. */
const builtSteps = new WeakMap<TranscriptStep, BuiltTurns>();

function buildTurns(turns: readonly TurnTranscript[], frame: PromptFrame): Built {
  const { leftOut = [], summary, model } = frame;
  const begin = bindingOf(frame);
  const inputs = [leftOut, summary, model.takesSystemMessages, begin, searchKey(frame)];
  const key = JSON.stringify(inputs);
  const known = findSteps(turns, key);
  const built = copyOf(known ?? buildEarlier(turns.slice(0, -1), frame));
  const running = asSent(turns.slice(-1), frame);
  for (const turn of running) addSteps(built, turn, model, known?.turns.at(-1)?.steps.length);
  rememberSteps(turns, { ...built, frame: key });
  const whole = copyOf(built);
  for (const turn of running) addEnd(whole.list, turn);
  return whole;
}

/** Turns without what the provider does not take. */
function asSent(turns: readonly TurnTranscript[], frame: PromptFrame): readonly TurnTranscript[] {
  const { leftOut = [] } = frame;
  return withKnownTools(leftOut.length === 0 ? turns : withoutLeftOut(turns, leftOut), frame);
}

/** @param built the messages of these turns, up to the last step of the turn that runs. */
function rememberSteps(turns: readonly TurnTranscript[], built: Omit<BuiltTurns, 'turns'>): void {
  const running = turns.at(-1);
  const [before, last] = [running?.steps.at(-2), running?.steps.at(-1)];
  if (running === undefined || last === undefined) return;
  // The results are copied, because later ones come into the same map.
  const asSent = { ...running, results: new Map(running.results) };
  builtSteps.set(last, { ...built, turns: [...turns.slice(0, -1), asSent] });
  if (before !== undefined) builtSteps.delete(before);
}

/** The messages of the turns before the one that runs. */
function buildEarlier(turns: readonly TurnTranscript[], frame: PromptFrame): Readonly<Built> {
  const begin = bindingOf(frame);
  let built: Readonly<Built> = { list: openList(begin, frame.summary), thinking: [] };
  let run: TurnTranscript[] = [];
  let isFirst = true;
  const addRun = (): void => {
    if (run.length > 0) built = addPlainTurns(built, run, { frame, begin, isFirst });
    run = [];
    isFirst = false;
  };
  for (const turn of turns) {
    if (!showsFiles(turn)) {
      run.push(turn);
      continue;
    }
    addRun();
    built = addTurns(built, [turn], frame);
  }
  addRun();
  return built;
}

interface RunSource {
  frame: PromptFrame;
  begin: string | undefined;
  /** Whether the turns are the first of the request. */
  isFirst: boolean;
}

/** Adds turns that show no files. Their messages are kept, where they depend on what stands before by its hash alone. */
function addPlainTurns(
  before: Readonly<Built>,
  turns: readonly TurnTranscript[],
  { frame, begin, isFirst }: RunSource,
): Readonly<Built> {
  if (!isFirst && !before.list.isAnswered) return addTurns(before, turns, frame);
  const { leftOut = [], summary, model } = frame;
  // A summary is kept with the first turns: the first message may be part of its message.
  const start = isFirst ? 0 : before.list.messages.length;
  const inputs = JSON.stringify([
    leftOut,
    model.takesSystemMessages,
    searchKey(frame),
    isFirst ? [summary, begin] : before.list.digest(),
  ]);
  const known = findBuilt(turns, inputs);
  const whole = known === undefined ? before : joined(before, known, start);
  const added = turns.slice(known?.turns.length ?? 0);
  if (added.length === 0) return whole;
  const built = addTurns(whole, added, frame);
  const [beforeLast, last] = [turns.at(-2), turns.at(-1)];
  const thinking = built.thinking.slice(before.thinking.length);
  if (last !== undefined) {
    builtRuns.set(last, { turns, frame: inputs, list: built.list.since(start), thinking });
    // One copy of a conversation is enough.
    if (beforeLast !== undefined) builtRuns.delete(beforeLast);
  }
  return built;
}

function joined(before: Readonly<Built>, known: Readonly<Built>, start: number): Built {
  const thinking = [...before.thinking, ...known.thinking];
  return { list: before.list.upTo(start, known.list), thinking };
}

function copyOf({ list, thinking }: Readonly<Built>): Built {
  return { list: new MessageList(list), thinking: [...thinking] };
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
    const built = builtRuns.get(last);
    if (built?.frame === frame && beginsWith(turns, built.turns)) return built;
  }
  return undefined;
}

/** Finds messages of the turn that runs, the last of these: up to its last step, or else to the one before. */
function findSteps(turns: readonly TurnTranscript[], frame: string): BuiltTurns | undefined {
  const running = turns.at(-1);
  for (const step of running?.steps.slice(-2).toReversed() ?? []) {
    const built = builtSteps.get(step);
    const before = built?.turns.at(-1);
    if (built?.frame !== frame || running === undefined || before === undefined) continue;
    const isSameLength = built.turns.length === turns.length;
    if (isSameLength && beginsWith(turns, built.turns.slice(0, -1)) && goesOn(before, running))
      return built;
  }
  return undefined;
}

function beginsWith<T>(items: readonly T[], beginning: readonly T[]): boolean {
  return beginning.every((item, index) => item === items[index]);
}

/** Whether a turn has what it had, and only more steps with what came after them. */
function goesOn(before: TurnTranscript, turn: TurnTranscript): boolean {
  const lastStep = before.steps.at(-1)?.step ?? 0;
  const isLater = ({ afterStep }: { afterStep: number }): boolean => afterStep > lastStep;
  const hasSameResult = (part: AssistantPart): boolean =>
    part.type !== 'tool_use' ||
    isSameResult(before.results.get(part.id), turn.results.get(part.id));
  return (
    turn.turnId === before.turnId &&
    turn.status === before.status &&
    turn.userParts === before.userParts &&
    beginsWith(turn.steps, before.steps) &&
    beginsWith(turn.notices, before.notices) &&
    turn.notices.slice(before.notices.length).every(isLater) &&
    beginsWith(turn.steered, before.steered) &&
    turn.steered.slice(before.steered.length).every(isLater) &&
    before.steps.every(({ parts }) => parts.every(hasSameResult))
  );
}

/** Results that were cut to fit are made anew for each request. */
function isSameResult(a: ShownResult | undefined, b: ShownResult | undefined): boolean {
  return a === b || (a?.status === b?.status && a?.output === b?.output && a?.shown === b?.shown);
}

/** The part of the request before the messages that thinking is bound to; undefined if the model does not bind it. */
function bindingOf(frame: PromptFrame): string | undefined {
  const { model, system, tools, serverTools = [] } = frame;
  if (!model.bindsThinking) return undefined;
  // A deferred tool is not in the prompt, but that there is a search.
  const search = searchOf(frame);
  const shown = tools.filter(({ deferred }) => deferred !== true);
  const searched = search === undefined ? [] : [search];
  return JSON.stringify([system, shown, ...serverTools, ...searched]);
}

function addTurns(
  before: Readonly<Built>,
  turns: readonly TurnTranscript[],
  frame: PromptFrame,
): Built {
  const built = copyOf(before);
  for (const turn of asSent(turns, frame)) {
    addSteps(built, turn, frame.model);
    addEnd(built.list, turn);
  }
  return built;
}

/** The user message that carries a summary. */
export function summaryText(summary: string): string {
  return `What came before in this conversation, in short:\n\n${escapeSystemTags(summary)}`;
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
