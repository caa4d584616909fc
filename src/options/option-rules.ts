import {
  type ClientTool,
  type OnDisconnect,
  busyPolicies,
  type OnBusy,
  type Priority,
  type AttachmentsAs,
} from '../storage/shapes/stored-options.js';
import { clientToolsExpected, parseClientTools } from './client-tools.js';
import { parseThinking } from '../provider/parse-thinking.js';
import { DEFAULT_MODEL } from '../provider/choose-model.js';
import { isStorable } from '../storage/storable.js';
import type { ThinkingChoice } from '../storage/shapes/stored-thinking.js';

/** The rule of an option: valid values, in code and in words, and the default. */
export interface OptionRule<T> {
  /** @returns the value as it is used; undefined for an invalid value. */
  parse(value: unknown): T | undefined;
  /** Completes "must be …". */
  expected: string;
  /** A more exact fault of an invalid value, in place of `expected`. */
  fault?(value: unknown): string | undefined;
  fallback(): T;
}

/** Most characters of a model's or a mode's name, which notices and streams repeat. */
const LONGEST_NAME = 200;

function nameRule(fallback: string): OptionRule<string> {
  return {
    parse: parseName,
    expected: `text of 1 to ${LONGEST_NAME} characters`,
    fallback: () => fallback,
  };
}

/**
 * Rules of all options but `agentConfig` (see `resolveLimits`) and `subagentGovernance`, which is
 * passed on unchecked.
 */
export const optionRules = {
  model: nameRule(DEFAULT_MODEL),
  fallbackModel: {
    parse: parseName,
    expected: `text of 1 to ${LONGEST_NAME} characters`,
    fallback: () => undefined,
  } satisfies OptionRule<string | undefined>,
  tools: {
    parse: parseNames,
    expected: 'an array of strings',
    fallback: () => ['read', 'write', 'bash'],
  } satisfies OptionRule<string[]>,
  maxTurns: {
    parse: parsePositiveInteger,
    expected: 'an integer greater than 0',
    fallback: () => 12,
  } satisfies OptionRule<number>,
  persona: {
    parse: parseText,
    expected: 'text that is not blank',
    fallback: () => 'WORKING_ITEMS',
  } satisfies OptionRule<string>,
  mode: nameRule('direct'),
  onDisconnect: {
    parse: parseOnDisconnect,
    expected: '"cancel" or "continue"',
    fallback: () => 'cancel',
  } satisfies OptionRule<OnDisconnect>,
  onBusy: {
    parse: (value) => busyPolicies.find((policy) => policy === value),
    expected: '"reject", "enqueue", "interrupt" or "steer"',
    fallback: () => 'reject',
  } satisfies OptionRule<OnBusy>,
  priority: {
    parse: parsePriority,
    expected: '"normal" or "background"',
    fallback: () => 'normal',
  } satisfies OptionRule<Priority>,
  maxCostUsd: {
    parse: (value) =>
      typeof value === 'number' && value > 0 && value < Infinity ? value : undefined,
    expected: 'a number of dollars greater than 0',
    fallback: () => undefined,
  } satisfies OptionRule<number | undefined>,
  thinking: {
    parse: parseThinking,
    expected:
      'true, false, or an object of effort ("low", "medium", "high", "xhigh" or "max") and display ("summarized" or "omitted")',
    fallback: () => false,
  } satisfies OptionRule<ThinkingChoice>,
  citations: {
    parse: parseBoolean,
    expected: 'true or false',
    fallback: () => false,
  } satisfies OptionRule<boolean>,
  attachmentsAs: {
    parse: parseAttachmentsAs,
    expected: '"native" or "text"',
    fallback: () => 'native',
  } satisfies OptionRule<AttachmentsAs>,
  maxTokens: {
    parse: parsePositiveInteger,
    expected: 'an integer greater than 0',
    fallback: () => undefined,
  } satisfies OptionRule<number | undefined>,
  clientTools: {
    parse: (value) => {
      const parsed = parseClientTools(value);
      return 'tools' in parsed ? parsed.tools : undefined;
    },
    expected: clientToolsExpected,
    fault: (value) => {
      const parsed = parseClientTools(value);
      return 'fault' in parsed ? parsed.fault : undefined;
    },
    fallback: () => [],
  } satisfies OptionRule<ClientTool[]>,
};

function parseText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function parseName(value: unknown): string | undefined {
  const name = parseText(value);
  return name === undefined || name.length > LONGEST_NAME || !isStorable(name) ? undefined : name;
}

/** An explicit `[]` is valid: no tools. Duplicates count once. */
function parseNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = new Set<string>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'string' || !isStorable(item)) return undefined;
    const name = item.trim();
    if (name !== '') names.add(name);
  }
  return [...names];
}

function parsePositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function parseBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function parseOnDisconnect(value: unknown): OnDisconnect | undefined {
  return value === 'cancel' || value === 'continue' ? value : undefined;
}

function parseAttachmentsAs(value: unknown): AttachmentsAs | undefined {
  return value === 'native' || value === 'text' ? value : undefined;
}

function parsePriority(value: unknown): Priority | undefined {
  return value === 'normal' || value === 'background' ? value : undefined;
}
