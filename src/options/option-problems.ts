import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import { cutText } from '../platform/text/cut-text.js';
import { isPlainObject } from '../platform/json.js';
import type { OptionProblem } from '../storage/shapes/stored-options.js';
import { storableText } from '../storage/connection.js';
import { assertNever } from '../platform/assert-never.js';
import { noBound } from './model-refusals.js';
import type { OptionRule, ResolvedValue } from './option-rule.js';
import { optionRules, otherOptions } from './option-rules.js';
import type { LimitResolution } from './resolve-limits.js';

/** Unknown keys named one by one, and characters of each: problems are stored and shown. */
const MAX_UNKNOWN = 20;
const MAX_KEY_CHARS = 64;

export interface OptionOutcome {
  chosen: Record<string, ResolvedValue<unknown>>;
  limits: LimitResolution;
}

/** Problems of the `opts` that a client sent, sorted by key. Pure. @throws TypedError INVALID_REQUEST for a bound that is none. */
export function findProblems(opts: unknown, { chosen, limits }: OptionOutcome): OptionProblem[] {
  if (!isPlainObject(opts)) return [{ kind: 'not-an-object' }];
  const problems = [
    ...ruleProblems(opts, chosen),
    ...limitProblems(opts['agentConfig'], limits),
  ].sort(byKey);
  return nameSome(problems);
}

function nameSome(problems: readonly OptionProblem[]): OptionProblem[] {
  const unknown = problems.filter(({ kind }) => kind === 'unknown');
  const count = unknown.length - MAX_UNKNOWN;
  if (count <= 0) return [...problems];
  const unnamed = new Set(unknown.slice(MAX_UNKNOWN));
  const named = problems.filter((problem) => !unnamed.has(problem));
  return [...named, { kind: 'more-unknown', count }];
}

const unknownOption = (key: string): OptionProblem => ({
  kind: 'unknown',
  key: cutText(storableText(key), MAX_KEY_CHARS),
});

function ruleProblems(
  given: Record<string, unknown>,
  chosen: Record<string, ResolvedValue<unknown>>,
): OptionProblem[] {
  const keys = Object.keys(given).filter((key) => given[key] !== undefined);
  return keys.flatMap((key): OptionProblem[] => {
    // `replaces` refuses a request; the others have problems of their own.
    if (otherOptions.includes(key)) return [];
    if (!isOptionKey(key)) return [unknownOption(key)];
    const used = chosen[key];
    const rule: OptionRule<unknown> = optionRules[key];
    if (used === undefined) return [];
    if (rule.parse(given[key]) !== undefined) {
      const odd = rule.odd?.(given[key]) ?? [];
      return odd.map(({ at, reason }) => ({
        kind: 'without-effect',
        key: `opts.${key}${at}`,
        reason,
      }));
    }
    const expected = rule.fault?.(given[key]) ?? rule.expected;
    if (rule.isBound === true && given[key] !== null) throw noBound(key, expected);
    return [{ kind: 'invalid', key, expected, using: used.value, from: used.from }];
  });
}

function isOptionKey(key: string): key is keyof typeof optionRules {
  return Object.hasOwn(optionRules, key);
}

function limitProblems(
  given: unknown,
  { config, provenance, problems }: LimitResolution,
): OptionProblem[] {
  if (given !== undefined && !isPlainObject(given)) {
    const expected = 'an object with fields like max_iterations';
    return [{ kind: 'invalid', key: 'agentConfig', expected, using: {}, from: 'default' }];
  }
  const unknown = Object.keys(given ?? {}).filter((key) => !isLimit(key));
  return [
    ...unknown.map((key) => unknownOption(`agentConfig.${key}`)),
    ...problems.map(({ field: { name, wireName, min, max } }) => ({
      kind: 'invalid' as const,
      key: `agentConfig.${wireName}`,
      expected: `a whole number from ${min} to ${max}`,
      using: config[name],
      from: provenance[name],
    })),
  ];
}

const isLimit = (key: string): boolean =>
  agentConfigFields.some(({ wireName }) => wireName === key);

function byKey(a: OptionProblem, b: OptionProblem): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const keyOf = (problem: OptionProblem): string => ('key' in problem ? problem.key : '');

const MAX_SHOWN = 10;
const MAX_SHOWN_KEY_CHARS = 60;
const MAX_SHOWN_CHARS = 120;

/** The notice of options and fields that have no effect; undefined: there are none. */
export function optionsNotice(problems: readonly OptionProblem[]) {
  const text = describeProblems(problems);
  if (text === undefined) return undefined;
  return {
    kind: 'options-ignored',
    level: 'message',
    text,
    metadata: { problems: [...problems] },
    seenByModel: false,
  } as const;
}

/** A line for each problem, as one text for the client; undefined without problems. */
export function describeProblems(problems: readonly OptionProblem[]): string | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, MAX_SHOWN).map(describe);
  const more = problems.slice(MAX_SHOWN).reduce((sum, problem) => sum + countOf(problem), 0);
  return [...lines, ...(more > 0 ? [`${more} more ignored`] : [])].join('\n');
}

const countOf = (problem: OptionProblem): number =>
  problem.kind === 'more-unknown' ? problem.count : 1;

function describe(problem: OptionProblem): string {
  switch (problem.kind) {
    case 'not-an-object':
      return 'opts ignored: must be an object; using defaults';
    case 'unknown':
      return `opts.${clip(problem.key, MAX_SHOWN_KEY_CHARS)} ignored: unknown option; known are ${knownKeys()}`;
    case 'more-unknown':
      return `${problem.count} more unknown options ignored`;
    case 'without-effect':
      return `${clip(problem.key, MAX_SHOWN_CHARS)} had no effect: ${problem.reason}`;
    case 'held-mode':
      return `mode ${show(problem.given)} (${problem.from}) ${problem.reason}; using ${problem.using}`;
    case 'invalid':
      return `opts.${problem.key} ignored: must be ${problem.expected}; using ${show(problem.using)} (${problem.from})`;
    default:
      return assertNever(problem);
  }
}

function knownKeys(): string {
  return [...Object.keys(optionRules), ...otherOptions].sort().join(', ');
}

function show(value: unknown): string {
  // Options without a default have no value to show.
  if (value === undefined) return 'none';
  return clip(typeof value === 'string' ? value : JSON.stringify(value), MAX_SHOWN_CHARS);
}

/** Text on one line and short: keys and values are the client's own. */
function clip(text: string, most: number): string {
  return cutText(text.replaceAll(/\p{Cc}/gu, ' '), most + 1);
}
