import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';

/** A message of the AI SDK, validated as far as the server uses it. */
export interface ChatMessage {
  role: string;
  content: Record<string, unknown>;
  /** Path of the message in the body: `messages[2]`. */
  field: string;
}

/** @throws TypedError INVALID_REQUEST 400. */
export function parseMessages(value: unknown): ChatMessage[] {
  if (!Array.isArray(value)) {
    throw invalidRequest("'messages' is missing or no list: send the messages of the chat");
  }
  return (value as unknown[]).map((content, index) => {
    const field = `messages[${index}]`;
    if (!isPlainObject(content)) throw invalidRequest(`'${field}' must be an object`);
    const { role } = content;
    if (typeof role !== 'string') throw invalidRequest(`'${field}.role' is missing or no text`);
    return { role, content, field };
  });
}
