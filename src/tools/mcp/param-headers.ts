import { isPlainObject, type JsonObject } from '../../platform/json.js';

/** A field of a tool's input that a request over HTTP repeats in a header (`x-mcp-header`). */
export interface ParamHeader {
  path: readonly string[];
  header: string;
}

const MARK = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * The headers that a tool's schema declares. @throws Error for a declaration that the protocol does not allow: without
 * its header the server refuses each call.
 */
export function paramHeaders(schema: unknown): ParamHeader[] {
  const found: ParamHeader[] = [];
  collect(schema, [], found);
  const names = found.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two fields of its input are for the header ${twice}`);
  return found;
}

/** @param path the properties that lead to the schema; undefined: something else does. */
function collect(schema: unknown, path: readonly string[] | undefined, found: ParamHeader[]): void {
  if (Array.isArray(schema)) {
    for (const item of schema) collect(item, undefined, found);
    return;
  }
  if (!isPlainObject(schema)) return;
  const header = schema[MARK];
  if (header !== undefined) {
    const isWhole = path !== undefined && path.length > 0 && types.includes(schema['type']);
    if (!isWhole || typeof header !== 'string' || !token.test(header)) {
      throw new Error(`its ${MARK} is not at a text, an integer or a flag, or is no header's name`);
    }
    found.push({ path, header });
  }
  for (const [key, below] of Object.entries(schema)) {
    if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') continue;
    if (key !== 'properties' || !isPlainObject(below)) {
      collect(below, undefined, found);
      continue;
    }
    for (const [name, property] of Object.entries(below)) {
      collect(property, path && [...path, name], found);
    }
  }
}

/** The headers of a call with `input`. */
export function headersOfCall(
  declared: readonly ParamHeader[],
  input: JsonObject,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    let value: unknown = input;
    for (const name of path) value = isPlainObject(value) ? value[name] : undefined;
    if (value === undefined || value === null) continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      headers[`Mcp-Param-${header}`] = headerValue(String(value));
    }
  }
  return headers;
}

/** A text as a header has it: as it is, or in base64 with the mark of the protocol. */
function headerValue(text: string): string {
  const isMarked = text.startsWith('=?base64?') && text.endsWith('?=');
  const isPlain = text !== '' && text === text.trim() && /^[\t -~]*$/.test(text) && !isMarked;
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
