import { isPlainObject } from '../json.js';
import { refuse } from '../http/wire-error.js';
import {
  citesDocuments,
  isPaused,
  type MessagesRequest,
  type OfferedTool,
} from '../request-types.js';

const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
/** Parts of a schema with each reference replaced: definitions that each refer twice to the next double them. */
const MAX_PARTS = 100_000;

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

/** @throws a 400 for a schema that the API does not compile, or a format not beside what else is asked for */
export function checkSchemas(body: MessagesRequest): void {
  const format = body.output_config?.format;
  const counts: Counts = { parts: 0, optional: 0, unions: 0 };
  body.tools?.forEach((tool, index) => {
    if (tool.strict !== true || tool.input_schema === undefined) return;
    checkSchema(tool.input_schema, { rule: 'strict-schema', at: `tools.${index}.custom`, counts });
  });
  if (format) {
    const at = 'output_config.format.schema';
    checkSchema(format.schema, { rule: 'format-schema', at, counts });
  }
  checkLimits(counts);
  if (!format) return;
  if (citesDocuments(body) || body.tools?.some(cites) === true) {
    throw refuse('format-citations', 'output_config.format: citations cannot be enabled with it');
  }
  const last = body.messages.at(-1);
  if (last?.role === 'assistant' && !isPaused(last)) {
    throw refuse('format-prefill', 'output_config.format: prefilling is not supported with it');
  }
}

/** The limits of what is compiled for a request: the sum of its schemas. */
function checkLimits({ optional, unions }: Counts): void {
  if (optional > MAX_OPTIONAL) {
    throw refuse(
      'schema-limits',
      `Schemas contains too many optional parameters (${optional}), which would make grammar ` +
        'compilation inefficient. Reduce the number of optional parameters in your tool schemas ' +
        `(limit: ${MAX_OPTIONAL}).`,
    );
  }
  if (unions > MAX_UNIONS) {
    throw refuse(
      'schema-limits',
      `Schemas contains too many parameters with union types (${unions} parameters with type ` +
        'arrays or anyOf). This causes exponential compilation cost. Reduce the number of nullable ' +
        `or union-typed parameters (limit: ${MAX_UNIONS} parameters with unions).`,
    );
  }
}

/** Whether a tool of the API cites what it finds. */
function cites(tool: OfferedTool): boolean {
  return 'citations' in tool && isPlainObject(tool.citations) && tool.citations['enabled'] === true;
}

interface Counts {
  parts: number;
  optional: number;
  unions: number;
}

/** The place of a schema in the request, and the counts of all schemas. */
interface SchemaPlace {
  rule: 'format-schema' | 'strict-schema';
  at: string;
  counts: Counts;
}

interface Walk extends SchemaPlace {
  root: Record<string, unknown>;
  /** References on the way here: one that comes again is recursive. */
  references: readonly string[];
}

function checkSchema(root: Record<string, unknown>, place: SchemaPlace): void {
  const walk: Walk = { ...place, root, references: [] };
  checkNode(root, walk);
  for (const defs of [root['$defs'], root['definitions']]) {
    if (!isPlainObject(defs)) continue;
    for (const [name, def] of Object.entries(defs)) {
      checkNode(def, into(walk, `/$defs/${name}`, `#/$defs/${name}`));
    }
  }
}

function wrong({ rule, at }: Walk, what: string): Error {
  return refuse(rule, `${at}: ${what}`);
}

/** The walk on into a part of a schema. */
function into(walk: Walk, path: string, reference?: string): Walk {
  const references = reference === undefined ? walk.references : [...walk.references, reference];
  return { ...walk, at: walk.at + path, references };
}

function checkNode(node: unknown, walk: Walk): void {
  if (!isPlainObject(node)) throw wrong(walk, 'Input should be an object');
  walk.counts.parts += 1;
  if (walk.counts.parts > MAX_PARTS)
    throw refuse(walk.rule, 'Schema is too complex for compilation.');
  const { type, $ref: reference } = node;
  if (reference !== undefined) return checkReference(reference, walk);
  const named = (Array.isArray(type) ? type : [type]).map(String);
  const isTyped = type !== undefined;
  const odd = isTyped ? named.find((name) => !types.includes(name)) : undefined;
  if (odd !== undefined) throw wrong(walk, `there is no type ${odd}`);
  if (!isTyped && !['enum', 'const', 'anyOf', 'allOf'].some((key) => node[key] !== undefined)) {
    throw wrong(walk, 'Schema must have a type, anyOf, allOf, enum or const');
  }
  const known = [...common, ...named.flatMap((name) => ofType[name] ?? [])];
  const unsupported = Object.keys(node).filter((key) => !known.includes(key));
  if (unsupported.length > 0) {
    const words =
      unsupported.length === 1
        ? `property '${unsupported.join('')}' is`
        : `properties ${unsupported.toSorted().join(', ')} are`;
    throw wrong(walk, `For '${named.join(', ')}' type, ${words} not supported`);
  }
  checkLiterals(node, walk);
  if (named.includes('object')) checkObject(node, walk);
  if (named.includes('array')) checkArray(node, walk);
  if (named.includes('string')) checkString(node, walk);
  if (named.length > 1 || node['anyOf'] !== undefined) walk.counts.unions += 1;
  for (const key of ['anyOf', 'allOf'] as const) {
    const variants = node[key];
    if (variants === undefined) continue;
    if (!Array.isArray(variants) || variants.length === 0) {
      throw wrong(walk, `${key} should be a list of schemas`);
    }
    variants.forEach((variant: unknown, index) => {
      if (key === 'allOf' && isPlainObject(variant) && variant['$ref'] !== undefined) {
        throw wrong(walk, 'allOf with $ref is not supported');
      }
      checkNode(variant, into(walk, `/${key}/${index}`));
    });
  }
}

function checkReference(reference: unknown, walk: Walk): void {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference));
  const defs = name === null ? undefined : walk.root[name[1] ?? ''];
  const target = isPlainObject(defs) ? defs[name?.[2] ?? ''] : undefined;
  if (target === undefined) throw wrong(walk, `$ref ${String(reference)} is not supported`);
  const key = `#/$defs/${name?.[2] ?? ''}`;
  if (walk.references.includes(key)) throw wrong(walk, 'Circular reference detected');
  checkNode(target, into(walk, '', key));
}

function checkLiterals(node: Record<string, unknown>, walk: Walk): void {
  const { enum: values = [], const: value } = node;
  if (!Array.isArray(values) || values.some(isComplex) || isComplex(value)) {
    throw wrong(walk, 'enum and const take strings, numbers, booleans and null only');
  }
}

function isComplex(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function checkObject(node: Record<string, unknown>, walk: Walk): void {
  if (node['additionalProperties'] !== false) {
    throw wrong(walk, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  const { properties = {}, required = [] } = node;
  if (!isPlainObject(properties)) throw wrong(walk, 'properties should be an object');
  if (!Array.isArray(required)) throw wrong(walk, 'required should be a list');
  for (const [name, property] of Object.entries(properties)) {
    if (!required.includes(name)) walk.counts.optional += 1;
    checkNode(property, into(walk, `/properties/${name}`));
  }
}

function checkArray(node: Record<string, unknown>, walk: Walk): void {
  const { items, minItems } = node;
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) {
    throw wrong(walk, `For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
  }
  if (items !== undefined) checkNode(items, into(walk, '/items'));
}

function checkString(node: Record<string, unknown>, walk: Walk): void {
  const { format } = node;
  if (format === undefined || stringFormats.includes(format)) return;
  throw wrong(walk, `For 'string' type, format ${JSON.stringify(format)} is not supported`);
}
