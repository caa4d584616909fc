import { isPlainObject } from '../json.js';
import { refuse } from '../http/wire-error.js';
import { blocksOf, type MessagesRequest } from '../request-types.js';

const mostOptional = 24;
const mostUnions = 16;
/** Parts of a schema with each reference replaced: definitions that each refer twice to the next double them. */
const mostParts = 100_000;

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];
const stringFormats: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
];
/** Keywords of every schema, and those of one type. */
const common = [
  '$schema',
  '$defs',
  'definitions',
  '$ref',
  'title',
  'description',
  'default',
  'type',
  'enum',
  'const',
  'anyOf',
  'allOf',
];
const ofType: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
};

/** @throws a 400 for a format that the API does not compile, or not beside what else is asked for */
export function checkFormat(body: MessagesRequest): void {
  const format = body.output_config?.format;
  if (format === undefined || format === null) return;
  checkSchema(format.schema);
  refuseWithCitations(body);
  if (body.messages.at(-1)?.role === 'assistant' && !isPaused(body)) {
    throw refuse('format-prefill', 'output_config.format: prefilling is not supported with it');
  }
}

function isPaused({ messages }: MessagesRequest): boolean {
  return messages.slice(-1).some((last) => blocksOf(last).some(isServerCall));
}

function isServerCall({ type }: { type: string }): boolean {
  return type === 'server_tool_use';
}

function refuseWithCitations({ messages, tools = [] }: MessagesRequest): void {
  const cites = messages
    .flatMap(blocksOf)
    .some((block) => block.type === 'document' && block.citations?.enabled === true);
  const toolCites = tools.some((tool) => {
    return (
      'citations' in tool && isPlainObject(tool.citations) && tool.citations['enabled'] === true
    );
  });
  if (!cites && !toolCites) return;
  throw refuse('format-citations', 'output_config.format: citations cannot be enabled with it');
}

interface Walk {
  root: Record<string, unknown>;
  /** References on the way here: one that comes again is recursive. */
  references: readonly string[];
  counts: { parts: number; optional: number; unions: number };
}

function checkSchema(root: Record<string, unknown>): void {
  const counts = { parts: 0, optional: 0, unions: 0 };
  checkNode(root, '', { root, references: [], counts });
  for (const defs of [root['$defs'], root['definitions']]) {
    if (!isPlainObject(defs)) continue;
    for (const [name, def] of Object.entries(defs)) {
      checkNode(def, `/$defs/${name}`, { root, references: [`#/$defs/${name}`], counts });
    }
  }
  if (counts.optional > mostOptional) {
    throw wrong('', `it has ${counts.optional} optional parameters, of at most ${mostOptional}`);
  }
  if (counts.unions > mostUnions) {
    throw wrong('', `it has ${counts.unions} parameters with unions, of at most ${mostUnions}`);
  }
}

function wrong(path: string, what: string): Error {
  return refuse('format-schema', `output_config.format.schema${path}: ${what}`);
}

function checkNode(node: unknown, path: string, walk: Walk): void {
  if (!isPlainObject(node)) throw wrong(path, 'Input should be an object');
  walk.counts.parts += 1;
  if (walk.counts.parts > mostParts) throw wrong('', 'Schema is too complex');
  const { type, $ref: reference } = node;
  if (reference !== undefined) return checkReference(reference, path, walk);
  const named = (Array.isArray(type) ? type : [type]).map(String);
  const isTyped = type !== undefined;
  const odd = isTyped ? named.find((name) => !types.includes(name)) : undefined;
  if (odd !== undefined) throw wrong(path, `there is no type ${odd}`);
  if (!isTyped && !['enum', 'const', 'anyOf', 'allOf'].some((key) => node[key] !== undefined)) {
    throw wrong(path, 'Schema must have a type, anyOf, allOf, enum or const');
  }
  const known = [...common, ...named.flatMap((name) => ofType[name] ?? [])];
  const unsupported = Object.keys(node).filter((key) => !known.includes(key));
  if (unsupported.length > 0) {
    const words = unsupported.join(', ');
    throw wrong(path, `For '${named.join(', ')}' type, properties ${words} are not supported`);
  }
  checkLiterals(node, path);
  if (named.includes('object')) checkObject(node, path, walk);
  if (named.includes('array')) checkArray(node, path, walk);
  if (named.includes('string')) checkString(node, path);
  if (named.length > 1 || node['anyOf'] !== undefined) walk.counts.unions += 1;
  for (const key of ['anyOf', 'allOf'] as const) {
    const variants = node[key];
    if (variants === undefined) continue;
    if (!Array.isArray(variants) || variants.length === 0) {
      throw wrong(path, `${key} should be a list of schemas`);
    }
    variants.forEach((variant: unknown, index) => {
      if (key === 'allOf' && isPlainObject(variant) && variant['$ref'] !== undefined) {
        throw wrong(path, 'allOf with $ref is not supported');
      }
      checkNode(variant, `${path}/${key}/${index}`, walk);
    });
  }
}

function checkReference(reference: unknown, path: string, walk: Walk): void {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference));
  const defs = name === null ? undefined : walk.root[name[1] ?? ''];
  const target = isPlainObject(defs) ? defs[name?.[2] ?? ''] : undefined;
  if (target === undefined) throw wrong(path, `$ref ${String(reference)} is not supported`);
  const key = `#/$defs/${name?.[2] ?? ''}`;
  if (walk.references.includes(key)) throw wrong(path, 'Circular reference detected');
  checkNode(target, path, { ...walk, references: [...walk.references, key] });
}

function checkLiterals(node: Record<string, unknown>, path: string): void {
  const { enum: values = [], const: value } = node;
  if (!Array.isArray(values) || values.some(isComplex) || isComplex(value)) {
    throw wrong(path, 'enum and const take strings, numbers, booleans and null only');
  }
}

function isComplex(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function checkObject(node: Record<string, unknown>, path: string, walk: Walk): void {
  if (node['additionalProperties'] !== false) {
    throw wrong(path, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  const { properties = {}, required = [] } = node;
  if (!isPlainObject(properties)) throw wrong(path, 'properties should be an object');
  if (!Array.isArray(required)) throw wrong(path, 'required should be a list');
  for (const [name, property] of Object.entries(properties)) {
    if (!required.includes(name)) walk.counts.optional += 1;
    checkNode(property, `${path}/properties/${name}`, walk);
  }
}

function checkArray(node: Record<string, unknown>, path: string, walk: Walk): void {
  const { items, minItems } = node;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) {
    throw wrong(path, `For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
  }
  if (items !== undefined) checkNode(items, `${path}/items`, walk);
}

function checkString(node: Record<string, unknown>, path: string): void {
  const { format } = node;
  if (format === undefined || stringFormats.includes(format)) return;
  throw wrong(path, `For 'string' type, format ${JSON.stringify(format)} is not supported`);
}
