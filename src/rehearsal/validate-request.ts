import { isPlainObject } from '../platform/json.js';
import type { MessagesRequest } from './request-types.js';
import { validateBlock } from './validate-block.js';
import { validateCitations } from './validate-citations.js';
import { validateToolPairs } from './validate-tool-pairs.js';
import { refuse } from './wire-error.js';

const mostCacheMarks = 4;
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * Refuses what the real API refuses, wherever a client's mistake would show: fields, roles,
 * content, tools and the pairing of calls with results.
 *
 * @throws a 400 whose message starts with the path of the fault, for example `messages.2.content.0`
 */
export function validateRequest(body: unknown): asserts body is MessagesRequest {
  if (!isPlainObject(body)) throw refuse('The body must be a JSON object.');
  if (typeof body['model'] !== 'string' || body['model'] === '') {
    throw refuse('model: Field required');
  }
  validateMaxTokens(body['max_tokens']);
  validateSystem(body['system']);
  validateTools(body['tools']);
  validateStopSequences(body['stop_sequences']);
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') {
    throw refuse('stream: Input should be a boolean');
  }
  validateMessages(body['messages']);
  validateCacheMarks(body);
}

function validateMaxTokens(maxTokens: unknown): void {
  if (maxTokens === undefined) throw refuse('max_tokens: Field required');
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1) {
    throw refuse('max_tokens: Input should be a whole number, 1 or more');
  }
}

function validateSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) throw refuse('system: Input should be a string or text blocks');
  system.forEach((block, index) => validateBlock(block, 'system', `system.${index}`));
}

function validateStopSequences(sequences: unknown): void {
  if (sequences === undefined) return;
  const valid = Array.isArray(sequences) && sequences.every((item) => typeof item === 'string');
  if (!valid) throw refuse('stop_sequences: Input should be an array of strings');
}

function validateTools(tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw refuse('tools: Input should be an array');
  const names = new Set<string>();
  tools.forEach((tool: unknown, index) => {
    const path = `tools.${index}`;
    if (!isPlainObject(tool)) throw refuse(`${path}: Input should be an object`);
    const name = tool['name'];
    if (typeof name !== 'string' || !toolName.test(name)) {
      throw refuse(`${path}.name: String should match pattern '${toolName.source}'`);
    }
    if (names.has(name)) throw refuse(`tools: Tool names must be unique, "${name}" is there twice`);
    names.add(name);
    const ours = tool['type'] === undefined || tool['type'] === 'custom';
    const schema = tool['input_schema'];
    if (ours && !(isPlainObject(schema) && schema['type'] === 'object')) {
      throw refuse(`${path}.input_schema: Field required, a JSON Schema with type "object"`);
    }
  });
}

function validateMessages(messages: unknown): void {
  if (messages === undefined) throw refuse('messages: Field required');
  if (!Array.isArray(messages)) throw refuse('messages: Input should be an array');
  if (messages.length === 0) throw refuse('messages: at least one message is required');
  let before: string | undefined;
  messages.forEach((message: unknown, index) => {
    const path = `messages.${index}`;
    if (!isPlainObject(message)) throw refuse(`${path}: Input should be an object`);
    const role = message['role'];
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw refuse(`${path}.role: Input should be 'user', 'assistant' or 'system'`);
    }
    if (before === undefined && role !== 'user') {
      throw refuse(`${path}: the first message must have the role "user", not "${role}"`);
    }
    if (role === 'system' && before === 'assistant') {
      throw refuse(`${path}: a system message must follow a user message, not an assistant's`);
    }
    validateContent(message['content'], role, path);
    before = role;
  });
  validateToolPairs(messages as MessagesRequest['messages']);
  validateCitations(messages as MessagesRequest['messages']);
}

function validateContent(
  content: unknown,
  role: 'user' | 'assistant' | 'system',
  path: string,
): void {
  if (content === undefined) throw refuse(`${path}.content: Field required`);
  if (content === '' || (Array.isArray(content) && content.length === 0)) {
    throw refuse(`${path}: ${role} messages must have non-empty content`);
  }
  if (typeof content === 'string') {
    validateBlock({ type: 'text', text: content }, role, `${path}.content`);
    return;
  }
  if (!Array.isArray(content)) throw refuse(`${path}.content: Input should be a string or blocks`);
  content.forEach((block, index) => validateBlock(block, role, `${path}.content.${index}`));
}

function validateCacheMarks(body: Record<string, unknown>): void {
  const marks = [body['tools'], body['system'], body['messages']].reduce<number>(
    (sum, part) => sum + countCacheMarks(part),
    0,
  );
  if (marks > mostCacheMarks) {
    throw refuse(
      `A maximum of ${mostCacheMarks} blocks with cache_control may be provided. Found ${marks}.`,
    );
  }
}

/** Marks on blocks and tools; what is called `cache_control` inside a tool's input is data. */
function countCacheMarks(part: unknown): number {
  if (Array.isArray(part))
    return part.reduce<number>((sum, item) => sum + countCacheMarks(item), 0);
  if (!isPlainObject(part)) return 0;
  const own = isPlainObject(part['cache_control']) ? 1 : 0;
  return own + countCacheMarks(part['content']);
}
