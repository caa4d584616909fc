import { agentConfigFields } from '../governance/agent-config.js';
import { isPlainObject } from '../platform/json.js';
import { optionRules } from './option-rules.js';
import type { Chosen, Provenance } from './provenance.js';
import type { LimitResolution } from './resolve-limits.js';

export type OptionProblem =
  | { kind: 'not-an-object' }
  | { kind: 'unknown'; key: string }
  | { kind: 'invalid'; key: string; expected: string; using: unknown; from: Provenance };

export interface OptionOutcome {
  chosen: Record<string, Chosen<unknown>>;
  limits: LimitResolution;
  /** A limit of cost was given, for a model whose price nobody knows. */
  lacksPrice: boolean;
}

/** What of a client's `opts` was not taken, sorted by key. Pure. */
export function findProblems(
  opts: unknown,
  { chosen, limits, lacksPrice }: OptionOutcome,
): OptionProblem[] {
  if (opts === undefined) return [];
  if (!isPlainObject(opts)) return [{ kind: 'not-an-object' }];
  return [
    ...ruleProblems(opts, chosen),
    ...limitProblems(opts['agentConfig'], limits),
    ...(lacksPrice ? [noPrice] : []),
  ].sort(byKey);
}

function ruleProblems(
  given: Record<string, unknown>,
  chosen: Record<string, Chosen<unknown>>,
): OptionProblem[] {
  const keys = Object.keys(given).filter((key) => given[key] !== undefined);
  return keys.flatMap((key): OptionProblem[] => {
    if (key === 'subagentGovernance' || key === 'agentConfig') return [];
    if (!isOptionKey(key)) return [{ kind: 'unknown', key }];
    const used = chosen[key];
    const { expected, read } = optionRules[key];
    if (used === undefined || read(given[key]) !== undefined) return [];
    return [{ kind: 'invalid', key, expected, using: used.value, from: used.from }];
  });
}

function isOptionKey(key: string): key is keyof typeof optionRules {
  return Object.hasOwn(optionRules, key);
}

const noPrice: OptionProblem = {
  kind: 'invalid',
  key: 'maxCostUsd',
  expected: 'for a model whose price is in TURNPIKE_PRICES',
  using: null,
  from: 'default',
};

function limitProblems(given: unknown, { config, provenance, problems }: LimitResolution) {
  if (given !== undefined && !isPlainObject(given)) {
    const expected = 'an object with fields like max_iterations';
    return [
      {
        kind: 'invalid' as const,
        key: 'agentConfig',
        expected,
        using: {},
        from: 'default' as const,
      },
    ];
  }
  const unknown = Object.keys(given ?? {}).filter((key) => !isLimit(key));
  return [
    ...unknown.map((key) => ({ kind: 'unknown' as const, key: `agentConfig.${key}` })),
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

const keyOf = (problem: OptionProblem): string =>
  problem.kind === 'not-an-object' ? '' : problem.key;
