import { createHash } from 'node:crypto';
import { isToolSearch, withReferences } from '../../provider/found-tools.js';
import { USE_TOOL, type ModelRequest } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import { FIND_TOOLS, searchTools } from '../../tools/builtin/find-tools.js';

interface SearchFrame {
  tools: readonly ToolSpec[];
  model: Pick<Model, 'toolSearch'>;
}

/** Who searches for the deferred tools of a request; undefined: none is deferred. Pure. */
export function searchOf({ tools, model }: SearchFrame): ModelRequest['toolSearch'] {
  if (!tools.some(({ deferred }) => deferred === true)) return undefined;
  return model.toolSearch ? 'provider' : 'own';
}

/** The tools of a request with the server's own search, in place of others of these names. Pure. */
export function withOwnSearch(tools: readonly ToolSpec[]): ToolSpec[] {
  const others = tools.filter(({ name }) => name !== FIND_TOOLS && name !== USE_TOOL);
  const ours = searchTools.map(({ name, description, inputSchema }) => {
    return { name, description, inputSchema };
  });
  return [...others, ...ours];
}

/** Keys of lists of tools: the requests of an attempt have the same list. */
const keys = new WeakMap<readonly ToolSpec[], string>();

/** What `withKnownTools` depends on, as text. Pure. */
export function searchKey(frame: SearchFrame): string {
  const search = searchOf(frame);
  if (search !== 'provider') return search ?? 'none';
  const known = keys.get(frame.tools);
  if (known !== undefined) return known;
  const names = JSON.stringify(frame.tools.map(({ name }) => name));
  const key = createHash('sha256').update(names).digest('base64url');
  keys.set(frame.tools, key);
  return key;
}

interface Turn {
  steps: readonly { parts: readonly AssistantPart[] }[];
}

/**
 * Turns as a request with these tools can have them: the provider refuses what refers to a tool without a definition,
 * and a server without a tool search refuses any search. Pure.
 */
export function withKnownTools<T extends Turn>(
  turns: readonly T[],
  frame: SearchFrame,
): readonly T[] {
  const isSearch = (part: AssistantPart): boolean => part.type === 'opaque' && isToolSearch(part);
  const searches = ({ steps }: Turn): boolean => steps.some(({ parts }) => parts.some(isSearch));
  if (!turns.some(searches)) return turns;
  const names = new Set(frame.tools.map(({ name }) => name));
  const isSearched = searchOf(frame) === 'provider';
  const known = (parts: readonly AssistantPart[]): readonly AssistantPart[] =>
    isSearched
      ? parts.map((part) => withReferences(part, names))
      : parts.filter((part) => !isSearch(part));
  return turns.map((turn) =>
    searches(turn)
      ? { ...turn, steps: turn.steps.map((step) => ({ ...step, parts: known(step.parts) })) }
      : turn,
  );
}
