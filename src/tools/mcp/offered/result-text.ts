import { isPlainObject } from '../../../platform/json.js';
import { printJson } from '../../../platform/exact-json.js';

/**
 * The text for the model of a result of `tools/call`: the text blocks, with a label for any other block.
 * Without a text block the structured content follows as JSON. A block that breaks the protocol is
 * labelled, and never an error.
 */
export function resultText(result: Readonly<Record<string, unknown>>): string {
  const content: unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const structured = result['structuredContent'];
  const hasText = content.some((block) => isPlainObject(block) && block['type'] === 'text');
  const shown = content.map(blockText);
  if (!hasText && structured !== undefined) shown.push(printJson(structured));
  return shown.join('\n');
}

function blockText(block: unknown): string {
  if (!isPlainObject(block)) return '[nothing that can be shown]';
  const { type } = block;
  switch (type) {
    case 'text':
      return textOf(block['text']);
    case 'image':
    case 'audio':
      return `[${type}: ${word(block['mimeType'])}, ${decodedBytes(block['data'])} bytes]`;
    case 'resource':
      return resourceText(block['resource']);
    case 'resource_link':
      return `[resource: ${word(block['uri'])}]`;
    default:
      return `[${word(type)}]`;
  }
}

/** The text of an embedded resource; a label for a binary one. */
function resourceText(resource: unknown): string {
  if (!isPlainObject(resource)) return '[resource]';
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === 'string') return `[resource: ${word(uri)}]\n${text}`;
  return `[resource: ${word(uri)}, ${word(mimeType)}, ${decodedBytes(blob)} bytes]`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function word(value: unknown): string {
  return textOf(value).replaceAll(/\s+/g, ' ').slice(0, 200) || 'unknown';
}

function decodedBytes(base64: unknown): number {
  return Buffer.byteLength(textOf(base64), 'base64');
}
