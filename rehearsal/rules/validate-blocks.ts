import { isPlainObject } from '../json.js';
import type { WireContract } from '../http/read-request.js';
import { refuse } from '../http/wire-error.js';
import {
  opaqueBlockTypes,
  blocksOf,
  type MessagesRequest,
  type RequestBlock,
} from '../request-types.js';
import type { ModelProfile } from '../models/profiles.js';

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

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Most characters of an image's base64, which the API measures. */
const mostImageBytes = 10 * 1024 * 1024;
/** Characters of base64 that tell the type of a file. */
const headerCharacters = 64;

/** @throws a 400 for a source whose data does not have the type it gives */
function validateSource(source: unknown, kind: 'image' | 'document', path: string): void {
  const at = `${path}.source`;
  if (!isPlainObject(source) || typeof source['type'] !== 'string') {
    throw refuse('request-shape', `${at}: Field required`);
  }
  if (source['type'] === 'text') requireData(source, at);
  if (source['type'] !== 'base64') return;
  const { data, mediaType } = requireData(source, at);
  if (data === '' || !isBase64(data)) {
    throw refuse('request-shape', `${at}.base64.data: Invalid base64 data`);
  }
  const known = kind === 'image' ? imageTypes : ['application/pdf'];
  if (!known.includes(mediaType)) {
    const expected = known.map((type) => `'${type}'`).join(', ');
    throw refuse('request-shape', `${at}.base64.media_type: Input should be ${expected}`);
  }
  if (kind === 'image') validateImage(data, mediaType, `${at}.base64`);
  else if (!isPdf(data))
    throw refuse('pdf-type', `${at}.base64.data: The PDF specified was not valid.`);
}

/**
 * Whether a text is base64 of the standard alphabet, with padding or without. Takes texts of any length: a single
 * expression would backtrack over each character, and fails on some ten million.
 */
function isBase64(text: string): boolean {
  const end = text.indexOf('=');
  const padding = end < 0 ? '' : text.slice(end);
  if (padding.length > 2 || /[^=]/.test(padding)) return false;
  return !/[^A-Za-z0-9+/]/.test(end < 0 ? text : text.slice(0, end));
}

function requireData(
  source: Record<string, unknown>,
  path: string,
): { data: string; mediaType: string } {
  const { data, media_type: mediaType } = source;
  if (typeof data !== 'string' || data === '') {
    throw refuse('request-shape', `${path}.data: Field required`);
  }
  if (typeof mediaType !== 'string') {
    throw refuse('request-shape', `${path}.media_type: Field required`);
  }
  return { data, mediaType };
}

function validateImage(data: string, mediaType: string, path: string): void {
  if (data.length > mostImageBytes) {
    const sizes = `${data.length} bytes > ${mostImageBytes} bytes`;
    throw refuse('image-bytes', `${path}: image exceeds 10 MB maximum: ${sizes}`);
  }
  const kind = imageKind(Buffer.from(data.slice(0, headerCharacters), 'base64'));
  if (kind === undefined) throw refuse('image-type', 'Could not process image');
  if (kind === mediaType) return;
  throw refuse(
    'image-type',
    `${path}: The image was specified using the ${mediaType} media type, ` +
      `but the image appears to be a ${kind} image`,
  );
}

function isPdf(data: string): boolean {
  return Buffer.from(data.slice(0, headerCharacters), 'base64').includes('%PDF-');
}

const mostPixels = 8_000;
const mostPixelsOfMany = 2_000;
/** Images above which the limit of many images applies. */
const many = 20;
/** Characters of base64 in which the size of an image is looked for. */
const sizeCharacters = 400_000;

interface Media {
  type: 'image' | 'document';
  data: string;
  path: string;
}

/** @throws a 400 for more images and pages than the model takes, or for an image that is too large */
export function validateMedia(body: MessagesRequest, profile: ModelProfile): void {
  const media = body.messages.flatMap((message, index) =>
    blocksOf(message).flatMap((block, at) => mediaOf(block, `messages.${index}.content.${at}`)),
  );
  const images = media.filter(({ type }) => type === 'image');
  const documents = media.filter(({ type }) => type === 'document');
  const pages = documents.reduce((sum, { data }) => sum + pagesOf(data), 0);
  if (pages + images.length > profile.mostImages) {
    throw refuse(
      'media-count',
      `Too much media: ${pages} document pages + ${images.length} images > ${profile.mostImages}`,
    );
  }
  const isMany = images.length > many;
  const most = isMany ? mostPixelsOfMany : mostPixels;
  const over = images.filter(({ data }) => longestSide(data) > most);
  const [first] = over;
  if (first === undefined) return;
  const limit = `max allowed size${isMany ? ' for many-image requests' : ''}: ${most} pixels`;
  throw refuse(
    'image-pixels',
    `${first.path}.image.source.base64.data: At least one of the image dimensions exceed ${limit}`,
    {
      error_code: 'image_dimensions_too_large',
      max_side_length_pixels: most,
      paths: over.map(({ path }) => path.replace('.tool_result.', '.')),
    },
  );
}

function longestSide(data: string): number {
  const size = parseImageHeader(Buffer.from(data.slice(0, sizeCharacters), 'base64'));
  return size === undefined ? 0 : Math.max(size.width, size.height);
}

function mediaOf(block: RequestBlock, path: string): Media[] {
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    return block.content.flatMap((item, index) =>
      mediaOf(item, `${path}.tool_result.content.${index}`),
    );
  }
  if (block.type !== 'image' && block.type !== 'document') return [];
  const { source } = block;
  return source.type === 'base64' ? [{ type: block.type, data: source.data ?? '', path }] : [];
}

/** Pages of a PDF as far as they are not compressed, at least one. */
export function pagesOf(data: string): number {
  const text = Buffer.from(data, 'base64').toString('latin1');
  return Math.max(text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0, 1);
}

export type ImageKind = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageHeader {
  width: number;
  height: number;
}

/** The media type by the first bytes of a file; undefined where the API takes none. */
export function imageKind(bytes: Buffer): ImageKind | undefined {
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png';
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg';
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif';
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF';
  return isRiff && bytes.toString('latin1', 8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

/** The size in pixels by an image's header; undefined where it has none. */
export function parseImageHeader(bytes: Buffer): ImageHeader | undefined {
  switch (imageKind(bytes)) {
    case 'image/png':
      return bytes.length < 24
        ? undefined
        : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case 'image/gif':
      return bytes.length < 10
        ? undefined
        : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case 'image/jpeg':
      return jpegSize(bytes);
    case 'image/webp':
      return webpSize(bytes);
    case undefined:
      return undefined;
  }
}

/** Skips segments to the start of a frame: C0 to CF, except three that are tables. */
function jpegSize(bytes: Buffer): ImageHeader | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
