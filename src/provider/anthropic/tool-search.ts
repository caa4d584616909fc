import type Anthropic from '@anthropic-ai/sdk';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { USE_TOOL, type ModelRequest } from '../model-types.js';

/** The search for tools whose definitions are not in the prompt, by the provider or by a tool of ours. */

type Searched = Pick<ModelRequest, 'tools' | 'toolSearch'>;

/** The search that the API runs. */
export const searchTool: Anthropic.ToolUnion = {
  type: 'tool_search_tool_bm25_20251119',
  name: 'tool_search_tool_bm25',
};

/** Names of the tools that the model calls by `use_tool`, where it searches by a tool of ours. */
export function wrappedTools({ tools }: Pick<Searched, 'tools'>): ReadonlySet<string> {
  return new Set(tools.flatMap(({ name, deferred }) => (deferred === true ? [name] : [])));
}

/** The call of a tool by its own name, as the model made it. */
export function wrapCall(name: string, input: JsonObject): { name: string; input: JsonObject } {
  return { name: USE_TOOL, input: { tool: name, input } };
}

/**
 * The call that a call of `use_tool` stands for; undefined where it names none of these tools: the loop then answers
 * what is wrong with it.
 */
export function unwrapCall(
  { name, input }: { name: string; input: JsonObject },
  wrapped: ReadonlySet<string> = new Set(),
): { name: string; input: JsonObject; isWrapped: true } | undefined {
  const { tool, input: given = {} } = input;
  if (name !== USE_TOOL || typeof tool !== 'string' || !wrapped.has(tool)) return undefined;
  return isPlainObject(given) ? { name: tool, input: given, isWrapped: true } : undefined;
}
