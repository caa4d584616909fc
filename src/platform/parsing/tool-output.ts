import { printJson } from '../exact-json.js';
import { isPlainObject } from '../json.js';

/** What a tool gave: text, or a list of texts and files in their order. */
export type ToolOutput = string | readonly OutputBlock[];

export type OutputBlock =
  | { type: 'text'; text: string }
  /** The declared type counts only where the bytes do not tell. */
  | { type: 'file'; bytes: Uint8Array; name?: string; mimeType?: string };

/** The text of an output alone, with the size of each file. Pure. */
export function outputText(output: ToolOutput): string {
  if (typeof output === 'string') return output;
  return output
    .map((block) =>
      block.type === 'text'
        ? block.text
        : `[${block.name ?? 'file'}: ${block.mimeType ?? 'unknown type'}, ${block.bytes.length} bytes]`,
    )
    .join('\n');
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The texts and files of a tool's output as clients and protocols write them: lists of blocks of MCP, the AI SDK,
 * Responses, Chat Completions and the Messages API, alone or as `content` or `value` of an object, and a text that is
 * a `data:` URL. Undefined for any other value: it is its JSON. Pure.
 */
export function outputBlocks(output: unknown): OutputBlock[] | undefined {
  const list = listOf(output);
  if (list === undefined) {
    const file = typeof output === 'string' ? fileOfUrl(output) : fileOf(output);
    return file === undefined ? undefined : [file];
  }
  const blocks = list.map((block) => blockOf(block));
  const isWhole = blocks.every((block) => block !== undefined);
  return isWhole && blocks.length > 0 ? blocks : undefined;
}

/** Fields beside the blocks that say nothing more. */
const besides: ReadonlySet<string> = new Set(['type', 'content', 'isError', '_meta']);

function listOf(output: unknown): readonly unknown[] | undefined {
  if (Array.isArray(output)) return output;
  if (!isPlainObject(output)) return undefined;
  if (output['type'] === 'content' && Array.isArray(output['value'])) return output['value'];
  const { content } = output;
  if (!Array.isArray(content)) return undefined;
  const rest = Object.entries(output).filter(([field]) => !besides.has(field));
  if (rest.length === 0) return content;
  return [...content, { type: 'text', text: printJson(Object.fromEntries(rest)) }];
}

/** A block of any of the known protocols; undefined for what is none. Pure. */
export function blockOf(block: unknown): OutputBlock | undefined {
  if (!isPlainObject(block)) return undefined;
  const { type, text } = block;
  const isText = type === 'text' || type === 'input_text' || type === 'output_text';
  if (isText && typeof text === 'string') return { type: 'text', text };
  return fileOf(block) ?? referenceOf(block);
}

/** A file that is only named by its address is not fetched: the label says so. */
function referenceOf(block: Fields): OutputBlock | undefined {
  const { type, url, image_url: image, file_url: file } = block;
  const known = ['image-url', 'file-url', 'image_url', 'input_image', 'input_file', 'image'];
  if (typeof type !== 'string' || !known.includes(type)) return undefined;
  const address = [url, image, isPlainObject(image) ? image['url'] : undefined, file].find(isText);
  if (address === undefined) return undefined;
  return {
    type: 'text',
    text: `[${oneLine(address)}: not fetched. Send the bytes of a file for it to be shown.]`,
  };
}

function fileOf(block: unknown): OutputBlock | undefined {
  if (!isPlainObject(block)) return undefined;
  const name = [block['filename'], block['name'], block['title']].find(isText);
  switch (block['type']) {
    case 'image':
    case 'document':
    case 'audio':
      return isPlainObject(block['source'])
        ? ofBase64(block['source']['data'], block['source']['media_type'], name)
        : ofBase64(block['data'], block['mimeType'] ?? block['mediaType'], name);
    case 'media':
    case 'image-data':
    case 'file-data':
    case 'file':
      return (
        ofBase64(block['data'], block['mediaType'] ?? block['mimeType'], name) ??
        urlFile(block['url'] ?? block['data'], name)
      );
    case 'image-url':
    case 'file-url':
      return urlFile(block['url'], name);
    case 'input_image':
    case 'image_url': {
      const { image_url: image } = block;
      return urlFile(isPlainObject(image) ? image['url'] : image, name);
    }
    case 'input_file':
      return urlFile(block['file_data'], name) ?? ofBase64(block['file_data'], undefined, name);
    case 'resource': {
      const { resource } = block;
      if (!isPlainObject(resource)) return undefined;
      return ofBase64(resource['blob'], resource['mimeType'], nameOfUri(resource['uri']));
    }
    default:
      return undefined;
  }
}

function ofBase64(data: unknown, mimeType: unknown, name: string | undefined) {
  if (!isText(data) || !/^[\w+/=\s-]+$/.test(data)) return undefined;
  return {
    type: 'file' as const,
    bytes: Buffer.from(data, 'base64'),
    ...(name === undefined ? {} : { name }),
    ...(isText(mimeType) ? { mimeType } : {}),
  };
}

function urlFile(url: unknown, name: string | undefined): OutputBlock | undefined {
  return isText(url) ? fileOfUrl(url, name) : undefined;
}

function fileOfUrl(url: string, name?: string): OutputBlock | undefined {
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(url.slice(0, 300));
  return head === null ? undefined : ofBase64(url.slice(head[0].length), head[1], name);
}

function nameOfUri(uri: unknown): string | undefined {
  return isText(uri) ? uri.split(/[/\\]/).at(-1) || undefined : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 200);
}
