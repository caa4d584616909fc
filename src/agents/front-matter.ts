import { parseDocument } from 'yaml';
import { isPlainObject } from '../platform/json.js';

export interface FrontMatter {
  /** What the front matter says; `{}` when there is none or when it is malformed. */
  fields: Record<string, unknown>;
  /** The text below the front matter, trimmed. */
  body: string;
  /** Why the front matter was ignored. Empty when all is well. */
  problems: string[];
}

const block = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n|$)/m;

/**
 * Splits a Markdown file into its YAML front matter (`---` on line 1, up to the next `---` line)
 * and its body. Never throws: malformed front matter is a problem and counts as empty.
 */
export function splitFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!/^---[ \t]*(?:\n|$)/.test(text)) return { fields: {}, body: text.trim(), problems: [] };
  const match = block.exec(text);
  if (match?.index !== 0) return ignored(text, 'its closing --- line is missing');
  const body = text.slice(match[0].length);
  // The blank line stands for the opening ---, so that a reported line is a line of the file.
  const document = parseDocument(`\n${match[1] ?? ''}`, { logLevel: 'silent' });
  const [error] = document.errors;
  if (error) return ignored(body, error.message.split('\n')[0] ?? error.code);
  try {
    const fields: unknown = document.toJS() ?? {};
    if (isPlainObject(fields)) return { fields, body: body.trim(), problems: [] };
    return ignored(body, 'it must be "key: value" lines');
  } catch (error) {
    // Aliases that expand too far.
    return ignored(body, error instanceof Error ? error.message : String(error));
  }
}

function ignored(body: string, why: string): FrontMatter {
  return { fields: {}, body: body.trim(), problems: [`front matter ignored: ${why}`] };
}
