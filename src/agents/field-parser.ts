import { efforts, type ThinkingChoice } from '../storage/shapes/stored-thinking.js';
import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import { parseThinking } from '../provider/parse-thinking.js';
import {
  agentConfigFields,
  validateAgentConfig,
} from '../governance/decision-tree/agent-config.js';
import { parsePermissionRule } from '../governance/permissions/permission-rules.js';
import { cutText } from '../platform/cut-text.js';
import { isPlainObject } from '../platform/json.js';
import { lineOf, type FieldLines } from './field-lines.js';
import type { LineProblem } from './front-matter.js';
import { nearestName } from './nearest-name.js';
import type { Reference } from './check-references.js';

export interface FieldSource {
  fields: Readonly<Record<string, unknown>>;
  lines: FieldLines;
}

/** Faults and references that parsing finds. */
export interface Findings {
  problems: LineProblem[];
  references: Reference[];
}

const longestShown = 60;

/** Parses the fields of one map of a file; a wrong value is left out and named in `problems`. */
export class FieldParser {
  readonly #source: FieldSource;
  readonly #found: Findings;
  readonly #prefix: string;

  /** @param prefix path of the map, as `permissions.`. */
  constructor(source: FieldSource, found: Findings, prefix = '') {
    this.#source = source;
    this.#found = found;
    this.#prefix = prefix;
  }

  /** Reports every field that is not in `known`. */
  onlyKeys(known: readonly string[]): void {
    for (const key of Object.keys(this.#source.fields)) {
      if (known.includes(key)) continue;
      const near = nearestName(key, known);
      const hint = near === undefined ? `use ${known.join(', ')}` : `did you mean ${near}?`;
      this.#report(key, `is not a field; ${hint}`);
    }
  }

  /** Reports the field `old` when the field `name` that replaced it is given too. */
  notBoth(old: string, name: string, newer: unknown): void {
    if (newer !== undefined && this.given(old) !== undefined) {
      this.#report(old, `is the old name of ${name}, which is given too: keep one of the two`);
    }
  }

  text(key: string, refersTo?: Reference['kind']): string | undefined {
    const text = this.#take(key, 'text that is not blank', asText);
    if (text !== undefined && refersTo) this.#refer(key, [text], refersTo);
    return text;
  }

  oneOf<T extends string>(key: string, allowed: readonly T[]): T | undefined {
    return this.#take(key, `one of ${allowed.join(', ')}`, (value) =>
      allowed.find((one) => one === value),
    );
  }

  flag(key: string): boolean | undefined {
    return this.#take(key, 'true or false', (value) =>
      typeof value === 'boolean' ? value : undefined,
    );
  }

  /** Whether to think, or with which effort. */
  thinking(key: string): ThinkingChoice | undefined {
    const allowed = `true, false, one of ${efforts.join(', ')}, or {effort, display}`;
    return this.#take(key, allowed, (value) => {
      const effort = efforts.find((level) => level === value);
      return effort === undefined ? parseThinking(value) : { effort };
    });
  }

  positiveInteger(key: string): number | undefined {
    return this.#take(key, 'an integer greater than 0', (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined,
    );
  }

  /** A list of tool names; unlike `names`, no comma-separated text. `[]` is a value. */
  toolList(key: string): string[] | undefined {
    const list = this.#take(key, 'a list of tool names, for example [read, write]', asTexts);
    return list && this.#refer(key, list, 'tool');
  }

  /**
   * A list of names, or names separated by commas. An invalid item is dropped alone: dropping a whole list
   * of forbidden tools would allow them.
   */
  names(key: string, refersTo: Reference['kind']): string[] {
    const value = this.given(key);
    if (value === undefined) return [];
    if (isScalar(value)) return this.#refer(key, String(value).split(','), refersTo);
    if (!Array.isArray(value)) {
      this.#refuse(key, value, 'a list of names, for example [read, write]');
      return [];
    }
    const items: unknown[] = value;
    for (const [index, item] of items.entries()) {
      if (!isScalar(item)) this.#refuse(`${key}.${index}`, item, 'a name');
    }
    return this.#refer(
      key,
      items.map((item) => (isScalar(item) ? String(item) : '')),
      refersTo,
    );
  }

  /**
   * Permission rules: a list, or rules separated by commas outside of parentheses. An invalid item is
   * dropped alone.
   */
  rules(key: string): string[] {
    const value = this.given(key);
    if (value === undefined) return [];
    const items: unknown = isScalar(value) ? String(value).split(/,(?![^(]*\))/) : value;
    if (!Array.isArray(items)) {
      this.#refuse(key, value, 'a list of rules, for example [read, "bash(git status*)"]');
      return [];
    }
    const texts = items.map((item: unknown, index) => this.#rule(`${key}.${index}`, item));
    return this.#refer(key, texts, 'rule');
  }

  /** @returns '' for an invalid rule. */
  #rule(key: string, item: unknown): string {
    if (!isScalar(item)) {
      this.#refuse(key, item, 'a rule, for example read or "bash(git status*)"');
      return '';
    }
    const text = String(item).trim();
    const parsed = text === '' ? undefined : parsePermissionRule(text);
    if (parsed === undefined || 'rule' in parsed) return text;
    this.#report(key, `${parsed.fault}; it is ${shown(text)}`);
    return '';
  }

  /** A parser of the map at `key`; of an empty map when the value is none. */
  map(key: string, example: string): FieldParser {
    const fields = this.#take(key, `a map, for example ${example}`, asMap) ?? {};
    const { lines } = this.#source;
    return new FieldParser({ fields, lines }, this.#found, `${this.#prefix}${key}.`);
  }

  /** A map of limits; an invalid limit is left out. */
  agentConfig(key: string): Partial<AgentConfig> | undefined {
    const limits = this.map(key, '{max_iterations: 10}');
    return isPlainObject(this.given(key)) ? limits.#parseLimits() : undefined;
  }

  #parseLimits(): Partial<AgentConfig> {
    this.onlyKeys(agentConfigFields.map(({ wireName }) => wireName));
    const { config, problems } = validateAgentConfig(this.#source.fields);
    for (const { field, message } of problems) {
      const line = this.#line(field.wireName);
      this.#found.problems.push({ line, message: this.#prefix + message });
    }
    return config;
  }

  /** The raw value of a field; a key without a value counts as absent. */
  given(key: string): unknown {
    return this.#source.fields[key] ?? undefined;
  }

  /** Trims the names and drops duplicates; each becomes a reference with its line. */
  #refer(key: string, names: readonly string[], kind: Reference['kind']): string[] {
    const clean = new Map<string, number>();
    for (const [index, name] of names.entries()) {
      const value = name.trim();
      if (value !== '' && !clean.has(value)) clean.set(value, this.#line(`${key}.${index}`));
    }
    for (const [value, line] of clean) {
      this.#found.references.push({ kind, field: this.#prefix + key, value, line });
    }
    return [...clean.keys()];
  }

  #take<T>(key: string, expected: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    return read(value) ?? this.#refuse(key, value, expected);
  }

  /** Reports a fault of a field that was parsed elsewhere. */
  fault(key: string, what: string): void {
    this.#report(key, what);
  }

  #refuse(key: string, value: unknown, expected: string): undefined {
    this.#report(key, `must be ${expected}, not ${shown(value)}`);
    return undefined;
  }

  #report(key: string, what: string): void {
    const message = `${this.#prefix}${key} ${what}`;
    this.#found.problems.push({ line: this.#line(key), message });
  }

  #line(key: string): number {
    return lineOf(this.#source.lines, this.#prefix + key);
  }
}

function asText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function asTexts(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value
    : undefined;
}

function asMap(value: unknown): Record<string, unknown> | undefined {
  return isPlainObject(value) ? value : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function shown(value: unknown): string {
  return cutText(typeof value === 'number' ? String(value) : JSON.stringify(value), longestShown);
}
