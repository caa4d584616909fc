import { shownFilesOf } from '../../attachments/choose-display.js';
import type { Config } from '../../config/config.js';
import { estimateParts, estimateText } from '../../provider/estimate-tokens.js';
import type { Model } from '../../provider/model.js';
import type { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { ShownResult, TurnTranscript } from '../state/attempt-context.js';
import type { PastTurn } from '../state/past-turn.js';
import { contextTokens } from '../../events/turn-event.js';

/** Stored turns as they are sent to models, with the outputs of tools as long as the window allows. */

/** Characters that are kept of an old output. */
const KEPT = 200;

/** The last steps of a turn, whose outputs stay whole: the model is at work with them. */
const KEPT_STEPS = 3;

/** Share of a window that is kept for the reply to a step's outputs. */
const RESERVED = 0.1;

/** Tokens of one character at most, in any script. */
const MAX_TOKENS_PER_CHARACTER = 4;

/** Tokens of an output that are kept in any case. */
const LEAST = 50;

/** What is known of models, and from when their windows count as full. */
export interface ContextWindows {
  models: ModelCatalogue;
  config: Pick<Config, 'compactPercent'>;
}

/** Tokens from which the window of a model counts as full. */
export function fullContext({ models, config }: ContextWindows, model: string): number {
  return models.describe(model).contextWindow * (config.compactPercent / 100);
}

/** The turns as they are sent, but for their files, which are shown together. */
export function buildTranscripts(
  windows: ContextWindows,
  past: readonly PastTurn[],
): TurnTranscript[] {
  const byModel = new Map<string, WindowLimits>();
  return past.map((turn) => {
    const { model } = turn.turn;
    const limits = byModel.get(model) ?? limitsOf(windows, model);
    byModel.set(model, limits);
    const known = transcripts.get(turn);
    if (known !== undefined && areSame(known.limits, limits)) return known.transcript;
    const transcript = buildTranscript(turn, limits);
    transcripts.set(turn, { limits, transcript });
    return transcript;
  });
}

function limitsOf(windows: ContextWindows, model: string): WindowLimits {
  const { contextWindow, tokenScale } = windows.models.describe(model);
  return { contextWindow, tokenScale, full: fullContext(windows, model) };
}

function areSame(a: WindowLimits, b: WindowLimits): boolean {
  return a.contextWindow === b.contextWindow && a.tokenScale === b.tokenScale && a.full === b.full;
}

type WindowLimits = Pick<Model, 'contextWindow' | 'tokenScale'> & { full: number };

/** The transcripts of turns that a worker remembers. */
const transcripts = new WeakMap<PastTurn, { limits: WindowLimits; transcript: TurnTranscript }>();

function buildTranscript(past: PastTurn, { full, ...model }: WindowLimits): TurnTranscript {
  const { turn, userParts: asked, steps, calls, notices, steered } = past;
  const { id: turnId, status, endReason, elidedThrough: through } = turn;
  const results = new Map<string, ShownResult>(calls.map((call) => [call.callId, call]));
  const userParts = asked.filter((part) => part.type === 'text');
  const transcript = { turnId, asked, steps, results, notices, steered, status, endReason };
  return shortenOutputs({ ...transcript, userParts }, { model, full, elidedThrough: through });
}

/** Tokens of turns, estimated. */
export function estimateTurns(turns: readonly TurnTranscript[], model: Model): number {
  const sizes = turns.map(({ userParts, steps, results }) => {
    const parts = [...userParts, ...steps.flatMap((step) => step.parts)];
    const outputs = [...results.values()].map(({ output }) => output ?? '');
    return estimateParts(parts, model) + estimateText(outputs.join('\n'), model);
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * A turn with the outputs of its tools as they were sent when it ran: an output that was cut stays cut,
 * or every later turn would be as long as the one that filled the window. Pure.
 */
export function shortenOutputs(
  turn: TurnTranscript,
  limits: {
    model: Pick<Model, 'contextWindow' | 'tokenScale'>;
    full: number;
    elidedThrough: number;
  },
): TurnTranscript {
  const { model } = limits;
  const estimate = (text: string): number => estimateText(text, model);
  const fitted = fitOutputs(turn, model.contextWindow, estimate);
  const through = Math.max(limits.elidedThrough, elidedThrough(turn.steps, limits.full));
  return elideOutputs(fitted, through);
}

/**
 * A turn with the outputs of its tools cut to their beginnings, each with a mark. Pure.
 *
 * @param through the last step whose outputs are cut; every step's by default.
 */
export function elideOutputs<T extends TurnTranscript>(turn: T, through = Infinity): T {
  if (through === 0) return turn;
  const old = new Set(
    turn.steps
      .filter(({ step }) => step <= through)
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))),
  );
  const results = new Map(
    [...turn.results].map(([id, result]) => [id, old.has(id) ? elided(result) : result]),
  );
  return { ...turn, results };
}

/** Whether any output is longer than an elided one. */
export function isElidable(results: TurnTranscript['results']): boolean {
  return [...results.values()].some(
    (result) => (result.output?.length ?? 0) > KEPT || shownFilesOf(result).length > 0,
  );
}

function elided(result: ShownResult): ShownResult {
  const { status, output } = result;
  const count = shownFilesOf(result).length;
  const short = elide(output);
  if (count === 0) return { status, output: short };
  const what = count === 1 ? 'The file of this output is' : `The ${count} files of this output are`;
  return {
    status,
    output: `${short ?? ''}\n[${what} elided to save context. Run the tool again if needed.]`,
  };
}

function elide(output: string | null): string | null {
  if (output === null || output.length <= KEPT) return output;
  return `${output.slice(0, KEPT).toWellFormed()}\n[${output.length - KEPT} characters elided to save context. Run the tool again if they are needed.]`;
}

/**
 * The step up to which a long turn's tool outputs are cut to their beginnings, so that the turn can
 * go on; 0: no step. Derived from the provider's usage of each step, so that a recovered turn sends
 * the same bytes. Pure.
 *
 * @param full tokens from which the window counts as full.
 */
export function elidedThrough(
  steps: readonly { step: number; usage: Usage }[],
  full: number,
): number {
  let through = 0;
  for (const { step, usage } of steps) {
    if (contextTokens(usage) >= full) through = Math.max(through, step - KEPT_STEPS);
  }
  return through;
}

/**
 * A turn with the outputs of each step cut to what the window had left after that step: a step that
 * overfills the window would end the turn and every later one. Derived from the provider's usage of
 * each step, so that every later request has the same bytes. Pure.
 *
 * @param estimate tokens of a text.
 */
export function fitOutputs<T extends TurnTranscript>(
  turn: T,
  window: number,
  estimate: (text: string) => number,
): T {
  const cut = new Map<string, string>();
  for (const { parts, usage } of turn.steps) {
    const used = contextTokens(usage);
    const left = window * (1 - RESERVED) - used;
    const whole = parts.flatMap((part) => {
      const output = part.type === 'tool_use' ? turn.results.get(part.id)?.output : undefined;
      if (part.type !== 'tool_use' || output === undefined || output === null) return [];
      return [{ id: part.id, output }];
    });
    // Short outputs, as most are, need no estimate.
    if (used === 0 || lengthOf(whole) * MAX_TOKENS_PER_CHARACTER <= left) continue;
    const outputs = whole.map((one) => ({ ...one, tokens: estimate(one.output) }));
    if (sum(outputs) <= left) continue;
    const most = Math.max(
      LEAST,
      fairShare(
        outputs.map(({ tokens }) => tokens),
        left,
      ),
    );
    for (const { id, output, tokens } of outputs) {
      if (tokens > most) cut.set(id, cutTo(output, most / tokens));
    }
  }
  if (cut.size === 0) return turn;
  const results = new Map(
    [...turn.results].map(([id, result]) => [
      id,
      { ...result, output: cut.get(id) ?? result.output },
    ]),
  );
  return { ...turn, results };
}

function lengthOf(outputs: readonly { output: string }[]): number {
  return outputs.reduce((total, { output }) => total + output.length, 0);
}

function sum(outputs: readonly { tokens: number }[]): number {
  return outputs.reduce((total, { tokens }) => total + tokens, 0);
}

/**
 * The largest share of an output, such that all together fit `left`: a small output leaves the rest
 * of its share to others.
 */
function fairShare(sizes: readonly number[], left: number): number {
  let rest = left;
  const rising = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of rising.entries()) {
    const share = rest / (rising.length - index);
    if (size > share) return share;
    rest -= size;
  }
  return Infinity;
}

function cutTo(output: string, share: number): string {
  const kept = output.slice(0, Math.floor(output.length * share)).toWellFormed();
  return `${kept}\n[${output.length - kept.length} characters cut: the model's window has no room for them. Ask for a smaller part.]`;
}
