import { readAgentConfig, type AgentConfig } from '../governance/agent-config.js';
import { isPlainObject } from '../platform/json.js';

/** Reads one agent file field by field; a wrong value is left out and named in `problems`. */
export class FieldReader {
  readonly #fields: Record<string, unknown>;
  readonly #problems: string[];

  constructor(fields: Record<string, unknown>, problems: string[]) {
    this.#fields = fields;
    this.#problems = problems;
  }

  text(key: string): string | undefined {
    const value = this.#given(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    return this.#refuse(key, 'text that is not blank');
  }

  positiveInteger(key: string): number | undefined {
    const value = this.#given(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
    return this.#refuse(key, 'an integer greater than 0');
  }

  /** A list of text only: a comma-separated string is not parsed. `[]` is a value. */
  toolList(key: string): string[] | undefined {
    const value = this.#given(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      return cleanNames(value);
    }
    return this.#refuse(key, 'a list of tool names, for example [read, write]');
  }

  /**
   * A list, or names separated by commas. One odd item costs that item only: dropping a whole list
   * of forbidden tools would allow them.
   */
  names(key: string): string[] {
    const value = this.#given(key);
    if (value === undefined) return [];
    if (isScalar(value)) return cleanNames(String(value).split(','));
    if (!Array.isArray(value)) {
      this.#refuse(key, 'a list of names, for example [read, write]');
      return [];
    }
    const items: unknown[] = value;
    if (!items.every(isScalar)) this.#refuse(`an item of ${key}`, 'a name');
    return cleanNames(items.filter(isScalar).map(String));
  }

  /** `KEY: value` or a table row `**KEY** | value` in the body, else `KEY` of the front matter. */
  header(key: string, body: string, allowed: readonly string[]): string | undefined {
    const row = new RegExp(
      `^[ \\t]*(?:\\|[ \\t]*)?\\**${key}\\**[ \\t]*[:|][ \\t]*(?:TYPE[ \\t]+)?([^\\s|]+)`,
      'm',
    ).exec(body);
    const value = row?.[1] ?? this.#given(key);
    if (value === undefined) return undefined;
    const text = isScalar(value) ? String(value).replace(/^TYPE\s+/, '') : '';
    return allowed.includes(text) ? text : this.#refuse(key, `one of ${allowed.join(', ')}`);
  }

  /** A map of limits; one that is wrong is left out. */
  agentConfig(key: string): Partial<AgentConfig> | undefined {
    const value = this.#given(key);
    if (value === undefined) return undefined;
    if (!isPlainObject(value)) return this.#refuse(key, 'a map, for example {max_iterations: 10}');
    const { config, problems } = readAgentConfig(value);
    this.#problems.push(...problems.map(({ message }) => `${key}: ${message}`));
    return config;
  }

  /** A key without a value counts as absent. */
  #given(key: string): unknown {
    return this.#fields[key] ?? undefined;
  }

  #refuse(key: string, expected: string): undefined {
    this.#problems.push(`${key} ignored: must be ${expected}`);
    return undefined;
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function cleanNames(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}
