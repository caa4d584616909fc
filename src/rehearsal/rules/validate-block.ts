import { isPlainObject } from '../../platform/json.js';
import type { WireContract } from '../http/parse-headers.js';
import { refuse } from '../http/wire-error.js';
import { opaqueBlockTypes } from '../request-types.js';
import { validateSource } from './validate-source.js';

/** The position of a block. */
export interface BlockContext {
  /** A message of that role, the system prompt (as a system message), or a tool result. */
  holder: 'user' | 'assistant' | 'system' | 'tool_result';
  path: string;
  contract: WireContract;
}

type Fields = Record<string, unknown>;

const opaque: readonly string[] = opaqueBlockTypes;
const holders: Record<string, BlockContext['holder'][]> = {
  text: ['user', 'assistant', 'system', 'tool_result'],
  thinking: ['assistant'],
  redacted_thinking: ['assistant'],
  tool_use: ['assistant'],
  tool_result: ['user'],
  image: ['user', 'tool_result'],
  document: ['user', 'tool_result'],
};
const toolId = /^[a-zA-Z0-9_-]+$/;

/** @throws a 400 whose message starts with the block's path */
export function validateBlock(block: unknown, context: BlockContext): void {
  const { holder, path, contract } = context;
  if (!isPlainObject(block)) throw refuse('request-shape', `${path}: Input should be an object`);
  const { type } = block;
  if (typeof type !== 'string') throw refuse('request-shape', `${path}.type: Field required`);
  if (opaque.includes(type) && holder !== 'system') return;
  if (type === 'document' && holder === 'assistant') {
    if (contract.version === '2023-06-01') return;
    throw refuse('assistant-document', `${path}: document blocks are only allowed in user content`);
  }
  if (holders[type]?.includes(holder) !== true) {
    throw refuse(
      'block-place',
      `${path}: \`${type}\` blocks are not permitted in ${holder} content`,
    );
  }
  switch (type) {
    case 'text':
      validateText(block, context);
      break;
    case 'thinking':
    case 'redacted_thinking':
      validateThinkingBlock(block, `${path}.${type}`);
      break;
    case 'tool_use':
      requireStrings(block, ['id', 'name'], `${path}.tool_use`);
      requireToolId(block['id'], `${path}.tool_use.id`);
      if (!isPlainObject(block['input'])) {
        throw refuse('request-shape', `${path}.tool_use.input: Input should be an object`);
      }
      break;
    case 'tool_result':
      validateToolResult(block, context);
      break;
    default:
      validateSource(block['source'], type === 'image' ? 'image' : 'document', `${path}.${type}`);
  }
}

function validateText(block: Fields, { holder, path, contract }: BlockContext): void {
  const { text, citations } = block;
  if (typeof text !== 'string') throw refuse('request-shape', `${path}.text.text: Field required`);
  if (text === '') throw refuse('empty-text', `${path}: text content blocks must be non-empty`);
  if (text.trim() === '') {
    throw refuse('blank-text', `${path}: text content blocks must contain non-whitespace text`);
  }
  const cites = Array.isArray(citations) && citations.length > 0;
  if (cites && holder === 'user' && contract.version !== '2023-06-01') {
    throw refuse(
      'user-citations',
      `${path}.text.citations: only assistant text may have citations`,
    );
  }
}

function validateThinkingBlock(block: Fields, path: string): void {
  const fields = block['type'] === 'thinking' ? ['thinking', 'signature'] : ['data'];
  const missing = fields.find((field) => typeof block[field] !== 'string');
  if (missing !== undefined) throw refuse('request-shape', `${path}.${missing}: Field required`);
  if (block['cache_control'] !== undefined) {
    throw refuse('cache-place', `${path}.cache_control: Extra inputs are not permitted`);
  }
}

function validateToolResult(block: Fields, context: BlockContext): void {
  const path = `${context.path}.tool_result`;
  requireStrings(block, ['tool_use_id'], path);
  requireToolId(block['tool_use_id'], `${path}.tool_use_id`);
  const { content } = block;
  const isEmpty = content === undefined || content === '' || isEmptyList(content);
  if (isEmpty && block['is_error'] === true) {
    throw refuse('empty-error-result', `${path}: content cannot be empty if \`is_error\` is true`);
  }
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) {
    throw refuse('request-shape', `${path}.content: Input should be a valid string or list`);
  }
  const isText = content.every((item) => isPlainObject(item) && item['type'] === 'text');
  if (block['is_error'] === true && !isText) {
    throw refuse(
      'error-result-text',
      `${path}: all content must be type "text" if \`is_error\` is true`,
    );
  }
  content.forEach((item, index) =>
    validateBlock(item, { ...context, holder: 'tool_result', path: `${path}.content.${index}` }),
  );
}

function isEmptyList(content: unknown): boolean {
  return Array.isArray(content) && content.length === 0;
}

function requireToolId(id: unknown, path: string): void {
  if (typeof id === 'string' && toolId.test(id)) return;
  throw refuse('tool-id', `${path}: String should match pattern '${toolId.source}'`);
}

function requireStrings(object: Fields, fields: string[], path: string): void {
  const missing = fields.find((field) => typeof object[field] !== 'string' || object[field] === '');
  if (missing !== undefined) throw refuse('request-shape', `${path}.${missing}: Field required`);
}
