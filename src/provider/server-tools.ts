import type { JsonObject } from '../platform/json.js';
import type { Model } from './models/model.js';

/** The tools that the provider runs itself, as models and agents call them. */
export const serverToolNames = ['web_search', 'web_fetch', 'code_execution'] as const;
export type ServerToolName = (typeof serverToolNames)[number];

/** One that this server lets its agents use. */
export interface ServerTool {
  name: ServerToolName;
  /** Most uses in one model call; absent: as the provider has it. */
  maxUses?: number;
}

const mostUses = 1_000;

/** @returns undefined for text that is not `web_search=5,web_fetch,code_execution`. */
export function parseServerTools(text: string): readonly ServerTool[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  const tools = items.filter((item) => item !== '').map(parseOne);
  const known = tools.filter((tool) => tool !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return known.length === tools.length && names.size === known.length ? known : undefined;
}

function parseOne(item: string): ServerTool | undefined {
  const [name = '', uses, ...more] = item.split('=').map((part) => part.trim());
  if (!isServerToolName(name) || more.length > 0) return undefined;
  if (uses === undefined) return { name };
  const maxUses = Number(uses);
  // The API's type of code execution has no such limit.
  const isValid = /^\d+$/.test(uses) && maxUses >= 1 && maxUses <= mostUses;
  return isValid && name !== 'code_execution' ? { name, maxUses } : undefined;
}

export function isServerToolName(name: string): name is ServerToolName {
  return serverToolNames.some((known) => known === name);
}

/**
 * Whether a model can use a tool. The Models API speaks of web search and code execution only; the two
 * tools of the web were released for the same models, so the one is taken for the other.
 */
export function hasServerTool({ serverTools }: Pick<Model, 'serverTools'>, name: string): boolean {
  return name === 'code_execution' ? serverTools.codeExecution : serverTools.webSearch;
}

/** A tool of the provider's at work. */
export interface ServerToolCall {
  callId: string;
  /** Also a part of a tool, as `bash_code_execution`. */
  name: string;
  input: JsonObject;
}

/** What came of it: text for people, the whole of it is the provider's own block. */
export interface ServerToolResult {
  callId: string;
  name: string;
  status: 'success' | 'error';
  output: string;
}
