import { LineCounter, parseDocument } from 'yaml';
import { isPlainObject } from '../platform/json.js';
import { linesOf, type FieldLines } from './field-lines.js';

/** What is wrong in a file, and where. */
export interface LineProblem {
  /** From 1, of the file. */
  line: number;
  /** What is wrong, and what is allowed. */
  message: string;
}

export interface FrontMatter {
  /** What the front matter says; `{}` when there is none or when it is malformed. */
  fields: Record<string, unknown>;
  lines: FieldLines;
  /** The text below the front matter, trimmed. */
  body: string;
  /** The line of the file on which `body` starts. */
  bodyLine: number;
  /** Why the front matter counts as empty: one at most. None when all is well. */
  problems: LineProblem[];
}

const block = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n|$)/m;

/**
 * Splits a Markdown file into its YAML front matter (`---` on line 1, up to the next `---` line)
 * and its body. Never throws: malformed front matter is a problem and counts as empty.
 */
export function splitFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const start = { fields: {}, lines: new Map(), problems: [] };
  if (!/^---[ \t]*(?:\n|$)/.test(text)) return { ...start, ...bodyAfter('', text) };
  const match = block.exec(text);
  if (match?.index !== 0) {
    return { ...start, ...bodyAfter('', text), problems: [fault(1, 'its closing --- is missing')] };
  }
  // The blank line stands for the opening ---, so that a line of the YAML is a line of the file.
  return {
    ...start,
    ...bodyAfter(match[0], text.slice(match[0].length)),
    ...readFields(`\n${match[1] ?? ''}`),
  };
}

function readFields(yaml: string): Partial<Pick<FrontMatter, 'fields' | 'lines' | 'problems'>> {
  const counter = new LineCounter();
  const document = parseDocument(yaml, {
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: counter,
  });
  const [error] = document.errors;
  if (error) return { problems: [fault(counter.linePos(error.pos[0]).line, error.message)] };
  try {
    const fields: unknown = document.toJS() ?? {};
    if (isPlainObject(fields)) return { fields, lines: linesOf(document.contents, counter) };
    return { problems: [fault(2, 'it must be "key: value" lines')] };
  } catch (error) {
    // Aliases that expand too far.
    return { problems: [fault(1, error instanceof Error ? error.message : String(error))] };
  }
}

function bodyAfter(head: string, rest: string): Pick<FrontMatter, 'body' | 'bodyLine'> {
  const body = rest.trim();
  const before = head + rest.slice(0, body === '' ? 0 : rest.indexOf(body));
  return { body, bodyLine: before.split('\n').length };
}

function fault(line: number, why: string): LineProblem {
  return { line, message: `the front matter cannot be read: ${why}` };
}
