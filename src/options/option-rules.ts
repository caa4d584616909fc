import {
  type ClientTool,
  type OnDisconnect,
  busyPolicies,
  type OnBusy,
  type Priority,
  type AttachmentsAs,
} from '../storage/shapes/stored-options.js';
import { clientToolsExpected, readClientTools } from './client-tools.js';
import { parseThinking } from '../provider/parse-thinking.js';
import { DEFAULT_MODEL } from '../provider/choose-model.js';
import { isStorable } from '../storage/storable.js';
import type { ThinkingChoice } from '../storage/shapes/stored-thinking.js';

/** One option: what counts as a valid value, in code and in words, and what applies without one. */
export interface OptionRule<T> {
  /** The value as it is used, or undefined when it is not valid. */
  read(value: unknown): T | undefined;
  /** Completes "must be …". */
  expected: string;
  /** The same for a value that is not valid, where more can be said of it. */
  fault?(value: unknown): string | undefined;
  fallback(): T;
}

/** Characters of a model's or a mode's name: it is repeated in notices and on streams. */
const LONGEST_NAME = 200;

function nameRule(fallback: string): OptionRule<string> {
  return {
    read: readName,
    expected: `text of 1 to ${LONGEST_NAME} characters`,
    fallback: () => fallback,
  };
}

/** Every option but `agentConfig` (see `resolveLimits`) and `subagentGovernance`, passed on as it came. */
export const optionRules = {
  model: nameRule(DEFAULT_MODEL),
  fallbackModel: {
    read: readName,
    expected: `text of 1 to ${LONGEST_NAME} characters`,
    fallback: () => undefined,
  } satisfies OptionRule<string | undefined>,
  tools: {
    read: readNames,
    expected: 'an array of strings',
    fallback: () => ['read', 'write', 'bash'],
  } satisfies OptionRule<string[]>,
  maxTurns: {
    read: readPositiveInteger,
    expected: 'an integer greater than 0',
    fallback: () => 12,
  } satisfies OptionRule<number>,
  persona: {
    read: readText,
    expected: 'text that is not blank',
    fallback: () => 'WORKING_ITEMS',
  } satisfies OptionRule<string>,
  mode: nameRule('direct'),
  onDisconnect: {
    read: readOnDisconnect,
    expected: '"cancel" or "continue"',
    fallback: () => 'cancel',
  } satisfies OptionRule<OnDisconnect>,
  onBusy: {
    read: (value) => busyPolicies.find((policy) => policy === value),
    expected: '"reject", "enqueue", "interrupt" or "steer"',
    fallback: () => 'reject',
  } satisfies OptionRule<OnBusy>,
  priority: {
    read: readPriority,
    expected: '"normal" or "background"',
    fallback: () => 'normal',
  } satisfies OptionRule<Priority>,
  maxCostUsd: {
    read: (value) =>
      typeof value === 'number' && value > 0 && value < Infinity ? value : undefined,
    expected: 'a number of dollars greater than 0',
    fallback: () => undefined,
  } satisfies OptionRule<number | undefined>,
  thinking: {
    read: parseThinking,
    expected:
      'true, false, or an object of effort ("low", "medium", "high", "xhigh" or "max") and display ("summarized" or "omitted")',
    fallback: () => false,
  } satisfies OptionRule<ThinkingChoice>,
  citations: {
    read: readBoolean,
    expected: 'true or false',
    fallback: () => false,
  } satisfies OptionRule<boolean>,
  attachmentsAs: {
    read: readAttachmentsAs,
    expected: '"native" or "text"',
    fallback: () => 'native',
  } satisfies OptionRule<AttachmentsAs>,
  maxTokens: {
    read: readPositiveInteger,
    expected: 'an integer greater than 0',
    fallback: () => undefined,
  } satisfies OptionRule<number | undefined>,
  clientTools: {
    read: (value) => {
      const read = readClientTools(value);
      return 'tools' in read ? read.tools : undefined;
    },
    expected: clientToolsExpected,
    fault: (value) => {
      const read = readClientTools(value);
      return 'fault' in read ? read.fault : undefined;
    },
    fallback: () => [],
  } satisfies OptionRule<ClientTool[]>,
};

function readText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function readName(value: unknown): string | undefined {
  const name = readText(value);
  return name === undefined || name.length > LONGEST_NAME || !isStorable(name) ? undefined : name;
}

/** An explicit `[]` is a value: no tools. A name given twice counts once. */
function readNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = new Set<string>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'string' || !isStorable(item)) return undefined;
    const name = item.trim();
    if (name !== '') names.add(name);
  }
  return [...names];
}

function readPositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function readOnDisconnect(value: unknown): OnDisconnect | undefined {
  return value === 'cancel' || value === 'continue' ? value : undefined;
}

function readAttachmentsAs(value: unknown): AttachmentsAs | undefined {
  return value === 'native' || value === 'text' ? value : undefined;
}

function readPriority(value: unknown): Priority | undefined {
  return value === 'normal' || value === 'background' ? value : undefined;
}
