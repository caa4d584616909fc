import { createHash } from 'node:crypto';
import type { ActionRecord } from '../decision-tree/agent-state.js';
import { canonicalJson } from '../../platform/json.js';
import { cutText } from '../../platform/text/cut-text.js';
import { printExact } from '../../platform/exact-json.js';

export interface NoProgress {
  /** A repeated step; two or three steps in turn; an error that repeats whatever is tried. */
  kind: 'repeat' | 'cycle' | 'error';
  /** The repeated actions, for people; each action of a cycle once, in order. */
  actions: readonly string[];
  /** Number of repetitions; full rounds of a cycle. */
  times: number;
}

/** The calls of an iteration. They ran in parallel, so that their order means nothing. */
interface Step {
  calls: readonly ActionRecord[];
  /** Equal for steps with equal calls and results. */
  key: string;
}

const repeats = 3;
const rounds = 2;
const periods = [2, 3];

/**
 * Detects a loop that goes in circles at its last step. Only equal results of equal calls count: a
 * repeated call with a changed result is progress. A cycle must complete two rounds and begin a
 * third: going back once to an earlier file is common in honest work.
 */
export function findNoProgress(actions: readonly ActionRecord[]): NoProgress | undefined {
  return find(actions, 0);
}

/** The pattern that one more equal step would complete; undefined once it is complete. */
export function findNearNoProgress(actions: readonly ActionRecord[]): NoProgress | undefined {
  return find(actions, 0) === undefined ? find(actions, 1) : undefined;
}

/** @param missing number of steps short of the rule. */
function find(actions: readonly ActionRecord[], missing: number): NoProgress | undefined {
  const steps = groupSteps(actions);
  return (
    findRepeat(steps, repeats - missing) ??
    findCycle(steps, missing) ??
    findSameError(steps, repeats - missing) ??
    findErrorWhateverTried(steps, repeats - missing)
  );
}

function groupSteps(actions: readonly ActionRecord[]): Step[] {
  const byTurn = new Map<number, ActionRecord[]>();
  for (const action of actions) {
    const calls = byTurn.get(action.turn);
    if (calls === undefined) byTurn.set(action.turn, [action]);
    else calls.push(action);
  }
  return [...byTurn.values()].map((calls) => ({
    calls,
    key: [...new Set(calls.map(keyOf))].sort().join('\n'),
  }));
}

function findRepeat(steps: readonly Step[], times: number): NoProgress | undefined {
  const last = steps.slice(-times);
  if (last.length < times || new Set(last.map(({ key }) => key)).size > 1) return undefined;
  return { kind: 'repeat', actions: describe(last.slice(-1)), times };
}

function findCycle(steps: readonly Step[], missing: number): NoProgress | undefined {
  const period = periods.find((length) => hasPeriod(steps, length, length * rounds + 1 - missing));
  if (period === undefined) return undefined;
  return { kind: 'cycle', actions: describe(steps.slice(-period)), times: rounds };
}

function hasPeriod(steps: readonly Step[], period: number, length: number): boolean {
  const last = steps.slice(-length);
  return (
    last.length === length &&
    new Set(last.map(({ key }) => key)).size > 1 &&
    last.every(({ key }, index) => index < period || key === last[index - period]?.key)
  );
}

/** A call that keeps failing in the same way, whatever happens in between. */
function findSameError(steps: readonly Step[], times: number): NoProgress | undefined {
  const failed = steps.at(-1)?.calls.filter(({ isError }) => isError) ?? [];
  const again = failed.find((call) => {
    const key = keyOf(call);
    return steps.filter(({ calls }) => calls.some((one) => keyOf(one) === key)).length >= times;
  });
  return again && { kind: 'error', actions: [again.action], times };
}

/** A tool that gives the same error to different arguments, in each of the last steps. */
function findErrorWhateverTried(steps: readonly Step[], times: number): NoProgress | undefined {
  const last = steps.slice(-times);
  const errors = new Set(last.map(onlyError));
  if (last.length < times || errors.size > 1 || errors.has(undefined)) return undefined;
  return { kind: 'error', actions: describe(last), times };
}

/** The tool and its error, where all calls of the step failed with it. */
function onlyError({ calls }: Step): string | undefined {
  const kinds = new Set(calls.map(({ tool, outcome }) => `${tool} ${outcome}`));
  const [kind] = kinds;
  return kinds.size === 1 && calls.every(({ isError }) => isError) ? kind : undefined;
}

function keyOf({ signature, outcome }: ActionRecord): string {
  return `${signature} ${outcome}`;
}

function describe(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(({ calls }) => calls.map(({ action }) => action)))];
}

const readableLength = 200;

/**
 * The key of a call: its tool and canonical arguments, hashed where they are long, since arguments
 * may contain a whole file and a state keeps many keys.
 */
export function signAction(name: string, input: unknown): string {
  const call = spellCall(name, input);
  return call.length <= readableLength ? call : `${name}#${shortHash(call)}`;
}

/** The key of a result. An error differs from a success with equal text. */
export function signOutcome(output: string, isError: boolean): string {
  return `${isError ? 'error' : 'ok'}:${shortHash(output)}`;
}

/** A call for people, cut to 200 characters: `search_code({"query":"x"})`. */
export function describeAction(name: string, input: unknown): string {
  return cutText(spellCall(name, input), readableLength);
}

function spellCall(name: string, input: unknown): string {
  return `${name}(${printExact(canonicalJson(input ?? null))})`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
