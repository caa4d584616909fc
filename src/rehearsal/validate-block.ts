import { isPlainObject } from '../platform/json.js';
import { isForeignSignature } from './sign-thinking.js';
import { opaqueBlockTypes } from './request-types.js';
import { refuse } from './wire-error.js';

/** Who holds the block: a message of that role, the system prompt, or a tool's result. */
export type BlockHolder = 'user' | 'assistant' | 'system' | 'tool_result';

const opaque: readonly string[] = opaqueBlockTypes;
const holders: Record<string, BlockHolder[]> = {
  text: ['user', 'assistant', 'system', 'tool_result'],
  thinking: ['assistant'],
  tool_use: ['assistant'],
  tool_result: ['user'],
  image: ['user', 'tool_result'],
  document: ['user', 'tool_result'],
};
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** @throws a 400 whose message starts with `path` */
export function validateBlock(block: unknown, holder: BlockHolder, path: string): void {
  if (!isPlainObject(block)) throw refuse(`${path}: Input should be an object`);
  const type = block['type'];
  if (typeof type !== 'string') throw refuse(`${path}.type: Field required`);
  if (opaque.includes(type) && holder !== 'system') return;
  if (holders[type]?.includes(holder) !== true) {
    throw refuse(`${path}: a "${type}" block is not allowed in ${holder} content`);
  }
  switch (type) {
    case 'text':
      validateText(block, path);
      break;
    case 'thinking':
      validateThinking(block, path);
      break;
    case 'tool_use':
      requireStrings(block, ['id', 'name'], path);
      if (!isPlainObject(block['input'])) throw refuse(`${path}.input: Input should be an object`);
      break;
    case 'tool_result':
      validateToolResult(block, path);
      break;
    default:
      validateSource(block['source'], type, `${path}.source`);
  }
}

function validateText(block: Record<string, unknown>, path: string): void {
  const text = block['text'];
  if (typeof text !== 'string') throw refuse(`${path}.text: Field required`);
  if (text === '') throw refuse(`${path}: text content blocks must be non-empty`);
  if (text.trim() === '') {
    throw refuse(`${path}: text content blocks must contain non-whitespace text`);
  }
}

function validateThinking(block: Record<string, unknown>, path: string): void {
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') throw refuse(`${path}.thinking: Field required`);
  if (typeof signature !== 'string' || signature === '') {
    throw refuse(`${path}.signature: Field required`);
  }
  if (isForeignSignature(thinking, signature)) {
    throw refuse(
      `${path}: Invalid \`signature\` in \`thinking\` block: send the block back exactly as it came`,
    );
  }
}

function validateToolResult(block: Record<string, unknown>, path: string): void {
  requireStrings(block, ['tool_use_id'], path);
  const content = block['content'];
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(`${path}.content: Input should be a string or blocks`);
  content.forEach((item, index) => validateBlock(item, 'tool_result', `${path}.content.${index}`));
}

function validateSource(source: unknown, type: string, path: string): void {
  if (!isPlainObject(source)) throw refuse(`${path}: Field required`);
  requireStrings(source, ['type'], path);
  if (source['type'] === 'text') requireStrings(source, ['data', 'media_type'], path);
  if (source['type'] !== 'base64') return;
  requireStrings(source, ['data', 'media_type'], path);
  if (!base64.test(String(source['data']))) throw refuse(`${path}.data: Invalid base64 data`);
  const mediaType = String(source['media_type']);
  const known = type === 'image' ? imageTypes : ['application/pdf'];
  if (!known.includes(mediaType)) {
    throw refuse(`${path}.media_type: "${mediaType}" is not one of ${known.join(', ')}`);
  }
}

function requireStrings(object: Record<string, unknown>, fields: string[], path: string): void {
  const missing = fields.find((field) => typeof object[field] !== 'string' || object[field] === '');
  if (missing !== undefined) throw refuse(`${path}.${missing}: Field required`);
}
