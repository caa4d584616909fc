import { printJson } from '../../../platform/exact-json.js';
import { isPlainObject } from '../../../platform/json.js';
import { blockOf, type OutputBlock } from '../../../parsing/tool-output.js';

/**
 * A result of `tools/call` for the model: its texts and files, with a label for any other block. Without a text block
 * the structured content follows as JSON. A block that breaks the protocol is labelled, and never an error.
 */
export function resultBlocks(result: Readonly<Record<string, unknown>>): OutputBlock[] {
  const content: unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const structured = result['structuredContent'];
  const hasText = content.some((block) => isPlainObject(block) && block['type'] === 'text');
  const shown = content.map(toBlock);
  if (!hasText && structured !== undefined) shown.push(textBlock(printJson(structured)));
  return shown;
}

function toBlock(block: unknown): OutputBlock {
  if (!isPlainObject(block)) return textBlock('[nothing that can be shown]');
  const { type } = block;
  switch (type) {
    case 'text':
      return textBlock(textOf(block['text']));
    case 'resource':
      return resourceBlock(block);
    case 'resource_link': {
      const [name, uri] = [word(block['name']), word(block['uri'])];
      return textBlock(name === 'unknown' ? `[resource: ${uri}]` : `[resource ${name}: ${uri}]`);
    }
    default:
      return blockOf(block) ?? textBlock(`[${word(type)}]`);
  }
}

/** The text of an embedded resource, or its file. */
function resourceBlock(block: Readonly<Record<string, unknown>>): OutputBlock {
  const { resource } = block;
  if (!isPlainObject(resource)) return textBlock('[resource]');
  const { uri, text, mimeType } = resource;
  if (typeof text === 'string') return textBlock(`[resource: ${word(uri)}]\n${text}`);
  return blockOf(block) ?? textBlock(`[resource: ${word(uri)}, ${word(mimeType)}]`);
}

function textBlock(text: string): OutputBlock {
  return { type: 'text', text };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function word(value: unknown): string {
  return textOf(value).replaceAll(/\s+/g, ' ').slice(0, 200) || 'unknown';
}
