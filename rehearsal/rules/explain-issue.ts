import type * as z from 'zod';
import { refuse, type WireError } from '../http/wire-error.js';
import { isPlainObject } from '../json.js';
import type { CheckParams } from '../request-schema.js';
import type { RuleId } from './strict-rules.js';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The refusal of a request by its first fault, in the words of the API. */
export function explainIssues(issues: readonly Issue[], body: unknown): WireError {
  const [first] = issues.flatMap((issue) => unfold(issue, []));
  if (first === undefined) throw new Error('A request without a fault was refused.');
  return explain(first, body);
}

/** An issue with the path from the root; of a union, the issues of the member that it is closest to. */
function unfold(issue: Issue, above: Path): Issue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ ...issue, path }];
  const inside = issue.errors.filter((errors) => !errors.some(isOfType));
  const closest =
    inside.find((errors) => !errors.some(({ path: [field] }) => field === 'type')) ?? inside.at(-1);
  return closest?.flatMap((inner) => unfold(inner, path)) ?? [{ ...issue, path }];
}

/** Whether a value is no member of a union by its type alone. */
function isOfType({ code, path }: Issue): boolean {
  return code === 'invalid_type' && path.length === 0;
}

function explain(issue: Issue, body: unknown): WireError {
  const { path } = issue;
  if (issue.code === 'custom' && issue.params !== undefined) {
    const { rule, isNamed } = issue.params as CheckParams;
    return refuse(rule, isNamed ? `${locate(path, body, true)}: ${issue.message}` : issue.message);
  }
  if (issue.code === 'invalid_union' && issue.discriminator === 'type') {
    return explainType(path.slice(0, -1), body);
  }
  const field = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const full = field === undefined ? path : [...path, field];
  const where = locate(full, body);
  const value = valueAt(full, body);
  const known = fields.find(({ at, holds }) => at.test(where) && (holds?.(value) ?? true));
  const says = known?.says ?? inWords(issue, value);
  const named = known?.names === undefined ? where : where.replace(known.at, known.names);
  return refuse(known?.rule ?? 'request-shape', `${named}: ${says}`);
}

interface Field {
  /** The path of the field, as the API writes it. */
  at: RegExp;
  /** Whether this is the fault of the field's value. Default: of any. */
  holds?: (value: unknown) => boolean;
  rule: RuleId;
  /** What the refusal names in place of the match of `at`. */
  names?: string;
  /** Default: what is wrong with any field of its type. */
  says?: string;
}

const isString = (value: unknown): boolean => typeof value === 'string';

/** Fields whose faults have a rule, or words, of their own. */
const fields: readonly Field[] = [
  {
    at: /\.text\.text$/,
    holds: (value) => value === '',
    rule: 'empty-text',
    names: '',
    says: 'text content blocks must be non-empty',
  },
  {
    at: /\.text\.text$/,
    holds: isString,
    rule: 'blank-text',
    names: '',
    says: 'text content blocks must contain non-whitespace text',
  },
  {
    at: /(?<=^messages\.\d+\.content)$/,
    holds: isString,
    rule: 'blank-text',
    says: 'text content blocks must contain non-whitespace text',
  },
  {
    at: /(?<=\.tool_result)\.content$/,
    holds: (value) => value === undefined || value === '' || isEmptyList(value),
    rule: 'empty-error-result',
    names: '',
    says: 'content cannot be empty if `is_error` is true',
  },
  { at: /^tools\.\d+\.\w+\.name$/, rule: 'tool-name' },
  { at: /^tools\.\d+\.memory_20250818\./, rule: 'tool-schema' },
  { at: /\.tool_use\.id$|\.tool_use_id$/, rule: 'tool-id' },
  {
    at: /thinking\.cache_control$/,
    rule: 'cache-place',
    says: 'Extra inputs are not permitted',
  },
  {
    at: /^tool_choice(\.type)?$/,
    rule: 'tool-choice',
    names: 'tool_choice',
    says: "Input should be 'auto', 'any', 'tool' or 'none'",
  },
];

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The refusal of a member of a union whose type is none of it. */
function explainType(path: Path, body: unknown): WireError {
  const where = locate(path, body);
  const value = valueAt(path, body);
  const type = isPlainObject(value) ? value['type'] : undefined;
  if (typeof type !== 'string') return refuse('request-shape', `${where}.type: Field required`);
  const holder = holderOf(path, body);
  if (holder === 'failed tool_result') {
    const result = locate(path.slice(0, -2), body, true);
    const says = 'all content must be type "text" if `is_error` is true';
    return refuse('error-result-text', `${result}: ${says}`);
  }
  if (holder === undefined) {
    return refuse('request-shape', `${where}.type: Input should not be '${type}'`);
  }
  return refuse(
    'block-place',
    `${where}: \`${type}\` blocks are not permitted in ${holder} content`,
  );
}

/** Names the holder of the block at a path: a tool's result, the system prompt, or the role of a message. */
function holderOf(path: Path, body: unknown): string | undefined {
  if (path[0] === 'system') return 'system';
  if (path.at(-2) !== 'content') return undefined;
  const holder = valueAt(path.slice(0, -2), body);
  if (!isPlainObject(holder)) return undefined;
  const kind = String(holder['role'] ?? holder['type']);
  return holder['is_error'] === true ? `failed ${kind}` : kind;
}

/** A path as the API writes it: behind a member of a union stands its type, of the last one `withLast` alone. */
function locate(path: Path, body: unknown, withLast = false): string {
  const parts: string[] = [];
  path.forEach((key, index) => {
    parts.push(String(key));
    if (index === path.length - 1 && !withLast) return;
    const value = valueAt(path.slice(0, index + 1), body);
    const isMember =
      typeof key === 'number' || key === 'source' || (key === 'thinking' && index === 0);
    if (!isMember || !isPlainObject(value)) return;
    const type = value['type'] ?? (path[0] === 'tools' ? 'custom' : undefined);
    if (typeof type === 'string') parts.push(type);
  });
  return parts.join('.');
}

function valueAt(path: Path, body: unknown): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    body,
  );
}

const expected: Readonly<Record<string, string>> = {
  array: 'Input should be a valid list',
  boolean: 'Input should be a valid boolean',
  int: 'Input should be a valid integer',
  number: 'Input should be a valid integer',
  object: 'Input should be an object',
  string: 'Input should be a valid string',
};

/** What is wrong with a field, whichever it is. */
function inWords(issue: Issue, value: unknown): string {
  if (value === undefined || (value === '' && issue.code === 'too_small')) return 'Field required';
  switch (issue.code) {
    case 'invalid_type':
      return expected[issue.expected] ?? `Input should be ${issue.expected}`;
    case 'invalid_value':
      return `Input should be ${list(issue.values)}`;
    case 'invalid_format':
      return `String should match pattern '${issue.pattern?.replaceAll(/^\/|\/$/g, '') ?? ''}'`;
    case 'unrecognized_keys':
      return 'Extra inputs are not permitted';
    case 'too_small':
      return `Input should be greater than or equal to ${issue.minimum}`;
    case 'invalid_union':
      return issue.discriminator === undefined
        ? 'Input should be a valid string or list'
        : `Input should be ${list('options' in issue ? (issue.options ?? []) : [])}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'too_big':
      return issue.message;
  }
}

function list(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
