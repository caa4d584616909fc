import type { ApiPropertyOptions } from '@nestjs/swagger';
import { compact } from '../platform/compact.js';
import { isStorable } from '../storage/connection.js';
import { isPlainObject } from '../platform/json.js';
import type {
  AgentConfig,
  OnDisconnect,
  PermissionMode,
  Provenance,
} from '../storage/shapes/stored-options.js';
import type { Persona } from '../agents/parse-agent-file.js';
import type { ResolvedModel } from '../provider/model-resolver.js';
import type { Preferences } from './preferences.js';

/**
 * The one definition of an option: what it does, its valid values in code, words and schema, who may set it, and the
 * default.
 */
export interface OptionRule<T> {
  /** What the option does, in a sentence. */
  about: string;
  schema: ApiPropertyOptions;
  /** @returns the value as it is used; undefined for an invalid value. */
  parse(value: unknown): T | undefined;
  /** Completes "must be …". */
  expected: string;
  /** The option bounds the turn: an invalid value refuses the request. Absent: it falls to the next tier. */
  isBound?: boolean;
  /** A more exact fault of an invalid value, in place of `expected`. */
  fault?(value: unknown): string | undefined;
  /** Entries of a valid value that are left out of it: each with its place after the option's name. */
  odd?(value: unknown): { at: string; reason: string }[];
  /** The sources that may set it in addition to the request; the first that does wins. Absent: none. */
  tiers?: Tiers<T>;
  fallback(): T;
}

/** A tier with its valid value; undefined: the tier has none. */
export type Tier<T> = readonly [Provenance, T | undefined];

type Tiers<T> = (sources: OptionSources) => readonly Tier<T>[];

/** Most characters of a model's or a mode's name, which notices and streams repeat. */
const MAX_NAME_CHARS = 200;

/** Text that is not blank, trimmed. */
export function textRule<T>(
  about: string,
  fallback: T,
  tiers: Tiers<string>,
): OptionRule<string | T> {
  return {
    about,
    schema: { type: String },
    parse: parseText,
    expected: 'text that is not blank',
    tiers,
    fallback: () => fallback,
  };
}

/** A name, trimmed, that the database can store. */
export function nameRule<T>(
  about: string,
  fallback: T,
  tiers: Tiers<string>,
): OptionRule<string | T> {
  return {
    ...textRule(about, fallback, tiers),
    schema: { type: String, maxLength: MAX_NAME_CHARS },
    parse: parseName,
    expected: `text of 1 to ${MAX_NAME_CHARS} characters`,
  };
}

export function parseName(value: unknown): string | undefined {
  const name = parseText(value);
  const isName = name !== undefined && name.length <= MAX_NAME_CHARS && isStorable(name);
  return isName ? name : undefined;
}

/** The rule of a list of names, of which duplicates count once. An explicit `[]` is valid: none of them. */
export function namesRule<T>(
  about: string,
  fallback: () => T,
  tiers?: Tiers<string[]>,
  most?: number,
): OptionRule<string[] | T> {
  return {
    about,
    schema: { type: [String], ...compact({ maxItems: most }) },
    parse: (value) => parseNames(value, most),
    expected: most === undefined ? 'an array of strings' : `an array of at most ${most} strings`,
    fallback,
    ...compact({ tiers }),
  };
}

/** @param most of the list. Default: any number. */
export function parseNames(value: unknown, most = Infinity): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = new Set<string>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'string' || !isStorable(item)) return undefined;
    const name = item.trim();
    if (name.length > MAX_NAME_CHARS) return undefined;
    if (name !== '') names.add(name);
  }
  return names.size > most ? undefined : [...names];
}

/** The rule of an option that is off where nobody turns it on. */
export function flagRule(about: string, tiers: Tiers<boolean>): OptionRule<boolean> {
  return {
    about,
    schema: { type: Boolean },
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    expected: 'true or false',
    fallback: () => false,
    tiers,
  };
}

export function countRule<T>(about: string, fallback: T): OptionRule<number | T> {
  return {
    about,
    schema: { type: 'integer', minimum: 1 },
    parse: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined,
    expected: 'an integer greater than 0',
    fallback: () => fallback,
  };
}

/** The rule of an option that is one of some texts. @param values the first is the default. */
export function choiceRule<T extends string>(
  about: string,
  values: readonly [T, ...T[]],
  tiers?: Tiers<T>,
): OptionRule<T> {
  const quoted = values.map((value) => JSON.stringify(value));
  return {
    about,
    schema: { enum: [...values] },
    parse: (value) => values.find((known) => known === value),
    expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    fallback: () => values[0],
    ...compact({ tiers }),
  };
}

export function parseText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** A value in force, with the tier it came from. */
export type ResolvedValue<T> = { value: T; from: Provenance };

/**
 * Chooses the first valid value: the request's, the first tier's that has one, or the rule's
 * default.
 */
export function choose<T>(
  rule: OptionRule<T>,
  given: unknown,
  tiers: readonly Tier<T>[],
): ResolvedValue<T> {
  const all: Tier<T>[] = [['opts', given === undefined ? undefined : rule.parse(given)], ...tiers];
  for (const [from, value] of all) if (value !== undefined) return { value, from };
  return { value: rule.fallback(), from: 'default' };
}

/** The fields of a request's `opts`; none where `opts` is no object. */
export function optionFields(opts: unknown): Record<string, unknown> {
  return isPlainObject(opts) ? opts : {};
}

/** Bounds of a turn's permission mode. */
export interface ModeBounds {
  /** The operator's upper bound of every turn's mode. */
  ceiling: PermissionMode;
  /** Whether the sender may approve tool calls, and so also ask for a mode that skips approvals. */
  mayApprove: boolean;
  /** The mode of a turn whose request names none. */
  inherited: string;
}

/** The tiers that a turn's options are resolved from. */
export interface OptionSources {
  /** The client's `opts`, unchecked. Undefined when omitted. */
  opts: unknown;
  session: { persona: string; mode: string; agentConfig?: Partial<AgentConfig> | null };
  /** The persona that `choosePersona` named. */
  persona: Persona;
  /**
   * Whether the persona was called as an agent: its model and permission mode are tiers then, and
   * `dontAsk` is the mode where no tier names one.
   */
  asAgent?: boolean;
  /** Permission mode of the wire, in place of the session's. Absent: the session's. */
  wireMode?: 'direct' | 'dontAsk';
  /** The wire's default for a turn that loses its readers, where `opts` names none. Absent: `cancel`. */
  wireOnDisconnect?: OnDisconnect;
  /** Limits that the user saved. */
  user?: Partial<AgentConfig>;
  /** Preferences that the user saved, limits aside. */
  preferences?: Preferences;
  defaults: {
    environmentModel?: string;
    environmentFallbacks?: string[];
    agentsModel?: string;
    agentsConfig?: Partial<AgentConfig>;
  };
  /** Whether the server lets turns have a memory. Absent: yes. */
  allowsMemory?: boolean;
  /** Bounds of the permission mode. Absent: none. */
  bounds?: Pick<ModeBounds, 'ceiling' | 'mayApprove'>;
  /** The model that the name of `chooseModel` was resolved to. Absent: the name is taken as it is, without a price. */
  model?: ResolvedModel;
  /** Limits where no tier sets any. */
  limits: Readonly<AgentConfig>;
}
