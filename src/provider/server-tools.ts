import type { JsonObject } from '../platform/json.js';
import type { Model } from './models/model.js';

/** The tools that the provider runs itself, as models and agents call them. */
export const serverToolNames = ['web_search', 'web_fetch', 'code_execution'] as const;
export type ServerToolName = (typeof serverToolNames)[number];

/** A tool of the provider that agents of this server may use. */
export interface ServerTool {
  name: ServerToolName;
  /** Most uses in one model call; absent: the provider's default. */
  maxUses?: number;
}

const mostUses = 1_000;

/** @returns undefined for text that is not `web_search=5,web_fetch,code_execution`. */
export function parseServerTools(text: string): readonly ServerTool[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  const tools = items.filter((item) => item !== '').map(parseServerTool);
  const known = tools.filter((tool) => tool !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return known.length === tools.length && names.size === known.length ? known : undefined;
}

function parseServerTool(item: string): ServerTool | undefined {
  const [name = '', uses, ...more] = item.split('=').map((part) => part.trim());
  if (!isServerToolName(name) || more.length > 0) return undefined;
  if (uses === undefined) return { name };
  const maxUses = Number(uses);
  // Code execution has no such limit in the API.
  const isValid = /^\d+$/.test(uses) && maxUses >= 1 && maxUses <= mostUses;
  return isValid && name !== 'code_execution' ? { name, maxUses } : undefined;
}

export function isServerToolName(name: string): name is ServerToolName {
  return serverToolNames.some((known) => known === name);
}

/**
 * Whether a model can use a tool. The Models API lists web search and code execution; web fetch was
 * released for the models of web search, and is taken to be there with it.
 */
export function hasServerTool({ serverTools }: Pick<Model, 'serverTools'>, name: string): boolean {
  return name === 'code_execution' ? serverTools.codeExecution : serverTools.webSearch;
}

/** A call of a tool that the provider runs. */
export interface ServerToolCall {
  callId: string;
  /** The name of the tool, or of a part of it, as `bash_code_execution`. */
  name: string;
  input: JsonObject;
}

/** The result of such a call. */
export interface ServerToolResult {
  callId: string;
  name: string;
  status: 'success' | 'error';
  output: string;
}
