import { asSystemBlock, escapeSystemTags } from '../../governance/notices/trigger.js';
import type { UserPart } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import { unendedStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { TranscriptStep, TurnTranscript } from '../state/attempt-context.js';
import { dropOpenServerTools, hasOpenServerTool } from '../state/server-calls.js';
import { callKey, isThinking, partKey, stepKey, type MessageList } from './message-list.js';

/** The messages of turns, with the thinking of all of them. */
export interface Built {
  list: MessageList;
  thinking: BoundThinking[];
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

export type BoundThinking = ThinkingStep & { parts: readonly AssistantPart[] };

/**
 * Adds the user's message and the steps of a turn.
 *
 * @param known how many of its steps are in the list, and the message with them. Default: nothing is.
 */
export function addSteps(
  { list, thinking }: Built,
  turn: TurnTranscript,
  model: Pick<Model, 'takesSystemMessages'>,
  known?: number,
): void {
  const { turnId } = turn;
  if (known === undefined) {
    list.ask(turn.userParts.map(escaped), (index) => partKey(turnId, index));
    addSteered(list, turn, 0);
    addNotices(list, noticesAfter(turn, 0), model);
  }
  for (const step of sentSteps(turn, known)) {
    const parts = step.parts.filter(isThinking);
    const digest = parts.length > 0 ? list.digest() : undefined;
    if (digest !== undefined) {
      const key = `${turnId}:${step.step}`;
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
    if (step.stopReason === 'context_window') addNotices(list, [wentOn], model);
    addNotices(list, noticesAfter(turn, step.step), model);
  }
}

/** Adds what stands after the steps of a turn. */
export function addEnd(list: MessageList, turn: TurnTranscript): void {
  // A message that was steered into a refused reply was no part of it.
  const refused = turn.steps.filter(({ stopReason }) => stopReason === 'refusal');
  for (const { step } of refused) addSteered(list, turn, step);
  const cut = cutMarker(turn);
  if (cut !== undefined) list.assistant([{ type: 'text', text: cut }]);
}

const wentOn = {
  kind: 'window-full',
  text: 'The reply was cut off because the window was full. What came before is shorter now: go on where it was cut.',
};
/**
 * The steps of a turn as they are sent, without refused replies: the provider would refuse again. A
 * provider's tool without a result is dropped in a turn that is over, and in a step that is
 * followed by words, which end the reply: it would never get its result.
 *
 * @param from the index of the first step that is wanted.
 */
function sentSteps(turn: TurnTranscript, from = 0): readonly TranscriptStep[] {
  const steps = turn.steps.slice(from).filter(({ stopReason }) => stopReason !== 'refusal');
  const isOver = !unendedStatuses.some((status) => status === turn.status);
  if (isOver) return dropOpenServerTools(steps);
  return steps.flatMap((step) => (isFollowed(step, turn) ? dropOpenServerTools([step]) : [step]));
}

function isFollowed({ step, parts }: TranscriptStep, turn: TurnTranscript): boolean {
  // The files of an error follow its result.
  const hasFilesAfter = (part: AssistantPart): boolean =>
    part.type === 'tool_use' && answer(part, turn).length > 1;
  return (
    parts.some(hasFilesAfter) ||
    turn.steered.some(({ afterStep }) => afterStep === step) ||
    noticesAfter(turn, step).length > 0
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
  { takesSystemMessages }: Pick<Model, 'takesSystemMessages'>,
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
