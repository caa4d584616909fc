import path from 'node:path';
import { isPlainObject } from '../../../platform/json.js';

/** A fault in a definition, and its field. The value is never repeated: it may be a credential. */
export interface DefinitionProblem {
  /** Path of the field, as `github.headers.Authorization`. */
  field: string;
  message: string;
}

const longestText = 4_096;
const longestValue = 8_192;
const mostItems = 100;

/** Headers of HTTP itself or of the transport, which a definition may not set. */
const reservedHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept|mcp-.*|proxy-.*)$/i;

/**
 * Validates the fields of one definition; a wrong field is added to `problems` and counts as
 * absent.
 */
export class DefinitionFields {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly at: string,
    private readonly problems: DefinitionProblem[],
  ) {}

  has(key: string): boolean {
    return this.fields[key] !== undefined;
  }

  report(key: string, message: string): undefined {
    this.problems.push({ field: key === '' ? this.at : `${this.at}.${key}`, message });
    return undefined;
  }

  onlyKeys(known: readonly string[]): void {
    for (const key of Object.keys(this.fields)) {
      if (known.includes(key)) continue;
      this.report(key.slice(0, 60), `is not a field here; use ${known.join(', ')}`);
    }
  }

  text(key: string): string | undefined {
    const value = this.fields[key];
    if (value === undefined) return undefined;
    if (isText(value, longestText) && value.trim() !== '') return value;
    return this.report(key, `must be text of at most ${longestText} characters`);
  }

  flag(key: string): boolean {
    const value = this.fields[key];
    if (value === undefined || typeof value === 'boolean') return value ?? false;
    this.report(key, 'must be true or false');
    return false;
  }

  texts(key: string): string[] {
    const value = this.fields[key];
    if (value === undefined) return [];
    const isList = Array.isArray(value) && value.length <= mostItems;
    if (isList && value.every((item) => isText(item, longestText))) return value;
    this.report(key, `must be a list of at most ${mostItems} texts`);
    return [];
  }

  folder(key: string): string | undefined {
    const value = this.text(key);
    if (value === undefined || path.isAbsolute(value)) return value;
    return this.report(key, 'must be an absolute path');
  }

  url(key: string): string | undefined {
    const value = this.text(key);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      return this.report(key, 'must be a URL, https://host/path');
    }
    if (url.username !== '' || url.password !== '') {
      return this.report(key, 'must not contain credentials; put them into headers');
    }
    url.hash = '';
    return url.href;
  }

  env(key: string): Record<string, string> {
    return this.#map(key, (name) =>
      /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) ? undefined : 'is not the name of a variable',
    );
  }

  headers(key: string): Record<string, string> {
    return this.#map(key, (name, value) => {
      if (!/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return 'is not the name of a header';
      if (reservedHeaders.test(name)) return 'is set by the protocol; leave it out';
      return /^[ -~\u0080-\u00ff]*$/.test(value) ? undefined : 'must be one line';
    });
  }

  #map(
    key: string,
    fault: (name: string, value: string) => string | undefined,
  ): Record<string, string> {
    const value = this.fields[key];
    if (value === undefined) return {};
    if (!isPlainObject(value) || Object.keys(value).length > mostItems) {
      this.report(key, `must be a map of at most ${mostItems} texts`);
      return {};
    }
    const entries = Object.entries(value).flatMap(([name, item]): [string, string][] => {
      const ok = isText(item, longestValue);
      const wrong = ok ? fault(name, item) : `must be text of at most ${longestValue} characters`;
      if (ok && wrong === undefined) return [[name, item]];
      this.report(`${key}.${name.slice(0, 60)}`, wrong ?? 'is not valid');
      return [];
    });
    return Object.fromEntries(entries);
  }
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && !value.includes('\0');
}
