import { isPlainObject } from '#src/platform/json.js';
import type { ToolItem } from '../conversation/turn-view.js';

/** The most telling argument of a call, for one line. Pure. */
export function describeCall({
  name: tool,
  input,
  json,
  child,
}: Pick<ToolItem, 'name' | 'input' | 'json' | 'child'>) {
  const known = isPlainObject(input) ? input : parsePartly(json);
  if (isSkillCall(tool)) return describeSkill(known);
  const first = ['command', 'file_path', 'pattern', 'prompt', 'url', 'query', 'path']
    .map((name) => known[name])
    .find((value) => typeof value === 'string' && value !== '');
  const text = typeof first === 'string' ? first : firstText(known);
  const who = child?.agent ?? known['agent'];
  const line = text.split('\n')[0] ?? '';
  return typeof who === 'string' ? `${who}: ${line}` : line;
}

/** Whether the call loads a skill, or reads a file of one. Pure. */
export function isSkillCall(tool: string): boolean {
  return tool === 'load_skill' || tool === 'read_skill_file';
}

/** `release-notes`, or `release-notes/style.md`. */
function describeSkill({ name, path }: Record<string, unknown>): string {
  return [name, path].filter((part) => typeof part === 'string').join('/');
}

function firstText(input: Record<string, unknown>): string {
  const value = Object.values(input).find((one) => typeof one === 'string');
  return typeof value === 'string' ? value : '';
}

/** The string members of an object whose JSON is incomplete. */
function parsePartly(json: string): Record<string, unknown> {
  const members = json.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)("|\\?$)/g);
  const found: Record<string, unknown> = {};
  for (const [, name = '', value = '', end] of members) found[name] = unescape(value, end === '"');
  return found;
}

function unescape(text: string, isWhole: boolean): string {
  try {
    return String(JSON.parse(`"${isWhole ? text : text.replace(/\\[^"]{0,5}$/, '')}"`));
  } catch {
    return text;
  }
}

export interface FileChange {
  path: string;
  before: string;
  after: string;
}

/** The change that a call of `edit` or `write` makes; undefined for other tools. Pure. */
export function fileChangeOf(name: string, input: unknown): FileChange | undefined {
  if (!isPlainObject(input) || typeof input['file_path'] !== 'string') return undefined;
  const { file_path: path, content, old_string: before, new_string: after } = input;
  if (name === 'write' && typeof content === 'string') return { path, before: '', after: content };
  if (name === 'edit' && typeof before === 'string' && typeof after === 'string') {
    return { path, before, after };
  }
  return undefined;
}
