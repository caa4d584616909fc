import { isPlainObject, type JsonObject } from '../platform/json.js';
import type { AssistantPart } from '../storage/shapes/stored-step.js';

/** What the provider's tool search left in replies: calls, and results that refer to tools by their names. */

type OpaquePart = Extract<AssistantPart, { type: 'opaque' }>;

/** Whether a part is a search for tools, or its result. Pure. */
export function isToolSearch({ block: { type, name } }: OpaquePart): boolean {
  if (type === 'tool_search_tool_result') return true;
  return (
    type === 'server_tool_use' && typeof name === 'string' && name.startsWith('tool_search_tool_')
  );
}

/** The names of the tools that a part refers to. Pure. */
export function foundTools(part: AssistantPart): string[] {
  return referencesOf(part).flatMap(({ tool_name: name }) =>
    typeof name === 'string' ? [name] : [],
  );
}

/**
 * A part with references to these tools alone: the provider refuses one to a tool without a definition. The same part
 * where it has no other. Pure.
 */
export function withReferences(part: AssistantPart, tools: ReadonlySet<string>): AssistantPart {
  const isKnown = ({ tool_name: name }: JsonObject): boolean =>
    typeof name === 'string' && tools.has(name);
  const references = referencesOf(part);
  if (part.type !== 'opaque' || references.every(isKnown)) return part;
  const { content } = part.block;
  const kept = { ...(content as JsonObject), tool_references: references.filter(isKnown) };
  return { ...part, block: { ...part.block, content: kept } };
}

function referencesOf(part: AssistantPart): JsonObject[] {
  if (part.type !== 'opaque' || part.block['type'] !== 'tool_search_tool_result') return [];
  const { content } = part.block;
  const references = isPlainObject(content) ? content['tool_references'] : undefined;
  return Array.isArray(references) ? references.filter((one) => isPlainObject(one)) : [];
}
