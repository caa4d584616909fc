import type { LineProblem } from './front-matter.js';

export interface HeaderSource {
  body: string;
  /** The line of the file on which the body starts. */
  bodyLine: number;
  /** What the front matter says. Undefined when it says nothing. */
  field: unknown;
  fieldLine: number;
  allowed: readonly string[];
}

/**
 * `AGENT_TYPE` or `AGENT_CLASS`: a line `KEY: value` or a table row `**KEY** | value` of the body,
 * else the field of the front matter.
 */
export function parseHeader(
  key: string,
  { body, bodyLine, field, fieldLine, allowed }: HeaderSource,
): { value?: string; problems: LineProblem[] } {
  const row = new RegExp(
    `^[ \\t]*(?:\\|[ \\t]*)?\\**${key}\\**[ \\t]*[:|][ \\t]*(?:TYPE[ \\t]+)?([^\\s|]+)`,
    'm',
  ).exec(body);
  const given = row?.[1] ?? field;
  if (given === undefined) return { problems: [] };
  const scalar = typeof given === 'string' || typeof given === 'number';
  const value = scalar ? String(given).replace(/^TYPE\s+/, '') : '';
  if (allowed.includes(value)) return { value, problems: [] };
  const line = row ? bodyLine + body.slice(0, row.index).split('\n').length - 1 : fieldLine;
  const message = `${key} must be one of ${allowed.join(', ')}, not ${JSON.stringify(given)}`;
  return { problems: [{ line, message }] };
}
