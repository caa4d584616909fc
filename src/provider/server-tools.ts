import type { JsonObject } from '../platform/json.js';
import { serverToolNames, type ServerToolName } from '../storage/shapes/stored-tools.js';
import type { Model } from './model.js';

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

/** The result of a call of the provider's tool. */
export interface ServerToolResult {
  callId: string;
  name: string;
  status: 'success' | 'error';
  output: string;
}
