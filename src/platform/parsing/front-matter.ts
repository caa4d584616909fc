import { parseYaml, type TextValue } from './parse-text.js';
import { nameOf, type Fault } from './parse-value.js';
import { isPlainObject } from '../json.js';

/** A fault in a file, and its line. */
export interface LineProblem {
  /** Line of the file, from 1; 0: of no line. */
  line: number;
  /** The fault, and what is allowed. */
  message: string;
}

export interface FrontMatter extends Pick<TextValue, 'lineOf'> {
  /** The fields of the front matter; `{}` when it is missing or malformed. */
  fields: Record<string, unknown>;
  /** The text below the front matter, trimmed. */
  body: string;
  /** The line of the file on which `body` starts. */
  bodyLine: number;
  /**
   * The reason why the front matter counts as empty, one problem at most. Empty for valid front
   * matter.
   */
  problems: LineProblem[];
}

/** The front matter of a file whose bytes are no text. @param fault the end of a sentence about the file. */
export function unreadableMatter(fault: string): FrontMatter {
  const problems = [{ line: 0, message: `the file ${fault}; save it as UTF-8` }];
  return { fields: {}, body: '', bodyLine: 0, problems, lineOf: () => 0 };
}

const block = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n|$)/m;

/**
 * Splits a Markdown file into its YAML front matter (`---` on line 1, up to the next `---` line)
 * and its body. Never throws: malformed front matter is a problem and counts as empty.
 */
export function splitFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const start = { fields: {}, lineOf: () => 1, problems: [] };
  if (!/^---[ \t]*(?:\n|$)/.test(text)) return { ...start, ...bodyAfter('', text) };
  const match = block.exec(text);
  if (match?.index !== 0) {
    return { ...start, ...bodyAfter('', text), problems: [fault(1, 'its closing --- is missing')] };
  }
  // A blank line in place of the opening --- keeps the line numbers of the file.
  return {
    ...start,
    ...bodyAfter(match[0], text.slice(match[0].length)),
    ...parseFields(`\n${match[1] ?? ''}`),
  };
}

/** Faults of fields, as problems of the file. */
export function atLines(
  faults: readonly Fault[],
  { lineOf }: Pick<FrontMatter, 'lineOf'>,
): LineProblem[] {
  return faults.map(({ path, message }) => ({
    line: lineOf(path),
    message: `${nameOf(path)} ${message}`,
  }));
}

function parseFields(yaml: string): Partial<Pick<FrontMatter, 'fields' | 'lineOf' | 'problems'>> {
  const parsed = parseYaml(yaml);
  if ('fault' in parsed) return { problems: [fault(parsed.fault.line ?? 1, parsed.fault.message)] };
  const { value, lineOf } = parsed;
  const fields = value ?? {};
  if (isPlainObject(fields)) return { fields, lineOf };
  return { problems: [fault(2, 'it must be "key: value" lines')] };
}

function bodyAfter(head: string, rest: string): Pick<FrontMatter, 'body' | 'bodyLine'> {
  const body = rest.trim();
  const before = head + rest.slice(0, body === '' ? 0 : rest.indexOf(body));
  return { body, bodyLine: before.split('\n').length };
}

function fault(line: number, why: string): LineProblem {
  return { line, message: `the front matter cannot be read: ${why}` };
}
