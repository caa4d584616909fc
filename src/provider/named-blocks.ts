import { isPlainObject } from '../platform/json.js';
import type { AssistantPart } from '../storage/shapes/stored-step.js';
import type { ModelMessage, UserPart } from './model-types.js';

const BLOCK_PATH = /messages\.\d+(?:\.content\.\d+(?:\.(?:tool_result\.)?content\.\d+)?)?/g;

/**
 * The blocks of the request that a refusal names: `messages.2.content.0`, `messages.2.content.0.content.1` for one
 * in a tool's result, `messages.2` for a whole message. From its details where they list them, else from its
 * text. Pure.
 */
export function namedBlocks({ text, details }: { text: string; details?: unknown }): string[] {
  const listed = isPlainObject(details) ? details['paths'] : undefined;
  const texts = Array.isArray(listed) ? listed.filter((path) => typeof path === 'string') : [text];
  const found = texts.flatMap((one) => one.match(BLOCK_PATH) ?? []);
  return [...new Set(found.map((path) => path.replace('.tool_result.', '.')))];
}

/** The parts of a user's message as they are sent: results of tools first, no blank text. */
export function inOrder(parts: readonly UserPart[]): UserPart[] {
  const sent = parts.filter(hasContent);
  const results = sent.filter((part) => part.type === 'tool_result');
  return [...results, ...sent.filter((part) => part.type !== 'tool_result')];
}

/**
 * The parts that a path of `namedBlocks` is about: one, or all of a message; none for a path that leads nowhere.
 * `item` is the place of a block within a tool's result. Pure.
 */
export function partsAt(
  messages: readonly ModelMessage[],
  path: string,
): { part: UserPart | AssistantPart; item?: number }[] {
  const [, message, , block, , item] = path.split('.');
  const sent = messages
    .map((one) => (one.role === 'system' ? [one] : partsOf(one)))
    .filter(({ length }) => length > 0);
  const parts = sent[Number(message)]?.filter((part) => 'type' in part) ?? [];
  if (block === undefined) return parts.map((part) => ({ part }));
  const part = parts[Number(block)];
  return part === undefined
    ? []
    : [{ part, ...(item === undefined ? {} : { item: Number(item) }) }];
}

function partsOf(message: Exclude<ModelMessage, { role: 'system' }>) {
  return message.role === 'user' ? inOrder(message.parts) : sentParts(message.parts);
}

/** The parts of a reply as Anthropic is sent them: no blank text, and no thinking of another maker's. */
export function sentParts(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.filter(
    (part) => hasContent(part) && (part.type !== 'thinking' || part.meta === undefined),
  );
}

/** A blank text is not sent: the API refuses it. */
export function hasContent(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}
