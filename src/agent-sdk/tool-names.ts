import path from 'node:path';
import { isPlainObject, type JsonObject } from '../platform/json.js';
import type { PermissionArgument, ToolEffect } from '../governance/permission-subject.js';
import { isKnownThere } from '../agents/claude-tools.js';
import { UnsupportedError } from './sdk-errors.js';

/** A tool of the server under the name that programs have for it, with its input both ways. */
interface SharedTool {
  theirs: string;
  ours: string;
  effect: ToolEffect;
  /** The argument that patterns of rules are about, by its name here. Absent: none. */
  argument?: string;
  /** How it is compared. Default: as text. */
  kind?: 'command' | 'path';
  /** Fields that have other names: theirs → ours. Absent: the input is the same. */
  renamed?: Readonly<Record<string, string>>;
  /** Fields of theirs that only describe the call: left out. */
  dropped?: readonly string[];
  /** Fields of theirs that are not honoured, with what to do. */
  refused?: Readonly<Record<string, string>>;
}

const sharedTools: readonly SharedTool[] = [
  { theirs: 'Read', ours: 'read', effect: 'read', argument: 'file_path', kind: 'path' },
  { theirs: 'Write', ours: 'write', effect: 'edit', argument: 'file_path', kind: 'path' },
  { theirs: 'Edit', ours: 'edit', effect: 'edit', argument: 'file_path', kind: 'path' },
  { theirs: 'Glob', ours: 'glob', effect: 'read', argument: 'path', kind: 'path' },
  { theirs: 'Grep', ours: 'grep', effect: 'read', argument: 'path', kind: 'path' },
  {
    theirs: 'Bash',
    ours: 'bash',
    effect: 'command',
    argument: 'command',
    kind: 'command',
    renamed: { timeout: 'timeout_ms' },
    dropped: ['description'],
    refused: { run_in_background: 'write its output to a file with & in the command' },
  },
  { theirs: 'TodoWrite', ours: 'todo_write', effect: 'read' },
  {
    theirs: 'Agent',
    ours: 'task',
    effect: 'read',
    argument: 'agent',
    renamed: { subagent_type: 'agent' },
    dropped: ['description'],
  },
  { theirs: 'Skill', ours: 'load_skill', effect: 'read', renamed: { skill: 'name' } },
  { theirs: 'WebSearch', ours: 'web_search', effect: 'read' },
  { theirs: 'WebFetch', ours: 'web_fetch', effect: 'read' },
];

/** Other names that programs have for a tool. */
const aliases: Readonly<Record<string, string>> = { Task: 'Agent' };

const byTheirs = new Map(sharedTools.map((tool) => [tool.theirs, tool]));
const byOurs = new Map(sharedTools.map((tool) => [tool.ours, tool]));

/** The tools of a query that names none. */
export const standardTools: readonly string[] = [
  'read',
  'write',
  'edit',
  'glob',
  'grep',
  'bash',
  'todo_write',
];

/** The question to a person that `canUseTool` answers: a tool of the caller's process. */
export const ASK_USER = 'AskUserQuestion';

/** Whether programs know such a tool that no server has by this name. Pure. */
export function isMissing(name: string): boolean {
  return name !== ASK_USER && !byTheirs.has(aliases[name] ?? name) && isKnownThere(name);
}

/** The server's name of a tool; one of an MCP server, or of the host application, is the same. Pure. */
export function toOurName(name: string): string {
  return byTheirs.get(aliases[name] ?? name)?.ours ?? name;
}

/** The name that programs have for a tool of the server. Pure. */
export function toTheirName(name: string): string {
  return byOurs.get(name)?.theirs ?? name;
}

/** The name of a tool in the list of a turn's tools, where that of subagents has its older one. Pure. */
export function toListedName(name: string): string {
  return name === 'task' ? 'Task' : toTheirName(name);
}

/** What a call of a tool may do; one that is not known may do anything. Pure. */
export function effectOf(name: string): ToolEffect {
  return byOurs.get(name)?.effect ?? 'command';
}

/**
 * The argument of a tool that patterns are about, with how it is compared. Undefined: it has none here. Pure.
 *
 * @param cwd the folder of the session, which paths are relative to; a search without a path is of it.
 */
export function argumentOf(
  name: string,
  input: unknown,
  cwd: string,
): PermissionArgument | undefined {
  const tool = byOurs.get(name);
  if (tool?.argument === undefined || !isPlainObject(input)) return undefined;
  const { kind = 'text', effect } = tool;
  const text = input[tool.argument] ?? (kind === 'path' && effect === 'read' ? '.' : undefined);
  if (typeof text !== 'string') return undefined;
  if (kind !== 'path') return { kind, texts: [text], roots: [] };
  return { kind, texts: [path.resolve(cwd, text)], roots: [cwd] };
}

/** Whether the input of a tool has other fields there. Pure. */
export function hasOtherFields(name: string): boolean {
  return name === 'read' || name === 'edit' || byOurs.get(name)?.renamed !== undefined;
}

/** An input of a call as programs see it. Pure. */
export function toTheirInput(name: string, input: unknown): JsonObject {
  const given: JsonObject = isPlainObject(input) ? toJson(input) : {};
  if (name === 'read') return toTheirRange(given);
  if (name === 'edit') return { replace_all: false, ...given };
  const { renamed = {} } = byOurs.get(name) ?? {};
  const back = new Map(Object.entries(renamed).map(([theirs, ours]) => [ours, theirs]));
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => [back.get(field) ?? field, value]),
  );
}

/**
 * An input that a program gave in place of the model's, as the server takes it. Pure.
 *
 * @throws UnsupportedError for a field that is not honoured.
 */
export function toOurInput(name: string, input: Readonly<Record<string, unknown>>): JsonObject {
  const given = toJson(input);
  if (name === 'read') return toOurRange(given);
  const { renamed = {}, dropped = [], refused = {} } = byOurs.get(name) ?? {};
  const ours: JsonObject = {};
  for (const [field, value] of Object.entries(given)) {
    const advice = refused[field];
    if (advice !== undefined && value !== false) {
      throw new UnsupportedError(`${field} of ${toTheirName(name)}`, advice);
    }
    if (advice === undefined && !dropped.includes(field)) ours[renamed[field] ?? field] = value;
  }
  return ours;
}

/** `view_range` is the first and the last line; programs have the first line and how many. */
function toTheirRange({ view_range: range, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(range)) return rest;
  const [from, to] = range;
  if (typeof from !== 'number') return rest;
  const hasEnd = typeof to === 'number' && to >= from;
  return { ...rest, offset: from, ...(hasEnd ? { limit: to - from + 1 } : {}) };
}

function toOurRange({ offset, limit, ...rest }: JsonObject): JsonObject {
  if (offset === undefined && limit === undefined) return rest;
  const from = typeof offset === 'number' ? Math.max(offset, 1) : 1;
  const to = typeof limit === 'number' ? from + limit - 1 : -1;
  return { ...rest, view_range: [from, to] };
}

/** What came from a program, as it is sent: JSON. */
function toJson(value: Readonly<Record<string, unknown>>): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  // Of an object it is one.
  return copy as JsonObject;
}
