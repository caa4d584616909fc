import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { withoutRootReference } from '../../platform/json-schema/object-schema.js';

type Node = Record<string, unknown>;

/** Most optional properties and unions of a schema that the API compiles. */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
/** Definitions inside of each other: the walk is recursive. */
const MAX_LEVELS = 64;

const literals = ['string', 'number', 'boolean'];

/**
 * A schema as the API's format takes it: the SDK moves keywords that are not compiled to descriptions.
 * Undefined where the format would forbid what the schema allows, or the API would refuse it: with maps
 * of free keys, recursion, and too many optional properties or unions. Pure.
 */
export function nativeSchema(schema: JsonObject): JsonObject | undefined {
  const root = withoutRootReference(renameDefinitions(schema));
  const walk: Walk = { root, known: new Map(), level: 0, counts: { optional: 0, unions: 0 } };
  if (root['type'] !== 'object' || !fits(root, walk) || isTooMuch(walk.counts)) return undefined;
  return transformJSONSchema(root);
}

/** The schema with `$defs`, the only name that the SDK knows, for the `definitions` of draft 7. */
function renameDefinitions(schema: JsonObject): JsonObject {
  const { definitions, ...rest } = schema;
  if (!isPlainObject(definitions) || schema['$defs'] !== undefined) return schema;
  const text = JSON.stringify({ ...rest, $defs: definitions }, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(/^#\/definitions\//, '#/$defs/')
      : value,
  );
  return JSON.parse(text) as JsonObject;
}

interface Counts {
  optional: number;
  unions: number;
}

interface Walk {
  root: Node;
  /** What each definition counts, wherever it is referred to; `open` while the walk is in it. */
  known: Map<string, Counts | 'open'>;
  level: number;
  counts: Counts;
}

function isTooMuch({ optional, unions }: Counts): boolean {
  return optional > MAX_OPTIONAL || unions > MAX_UNIONS;
}

/** Whether what the SDK makes of a schema allows all that the schema does. */
function fits(node: unknown, walk: Walk): boolean {
  if (!isPlainObject(node)) return false;
  const { $ref: reference, type } = node;
  if (reference !== undefined) return typeof reference === 'string' && follows(reference, walk);
  if (node['definitions'] !== undefined || node['$dynamicRef'] !== undefined) return false;
  const variants = ['anyOf', 'oneOf', 'allOf'].filter((key) => node[key] !== undefined);
  if (node['enum'] !== undefined || node['const'] !== undefined) {
    return variants.length === 0 && hasPlainLiterals(node);
  }
  if (variants.length > 0) return fitsVariants(node, variants, walk);
  switch (type) {
    case 'object':
      return fitsObject(node, walk);
    case 'array':
      return node['prefixItems'] === undefined && fits(node['items'], walk);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return true;
    default:
      return isTypeList(type, walk);
  }
}

function isTypeList(type: unknown, { counts }: Walk): boolean {
  if (!Array.isArray(type)) return false;
  counts.unions += 1;
  // The SDK passes lists of types on as they are, without the fields that objects and lists need.
  return type.every((one) => one !== 'object' && one !== 'array');
}

/** A single keyword of variants, without another keyword that the SDK would keep. */
function fitsVariants(node: Node, variants: readonly string[], walk: Walk): boolean {
  const [key = '', ...others] = variants;
  const list = node[key];
  if (others.length > 0 || !Array.isArray(list) || list.length === 0) return false;
  if (['properties', 'items', 'type'].some((keyword) => node[keyword] !== undefined)) return false;
  // All of a list at once is another schema than each by itself, once objects are closed.
  if (key === 'allOf') return false;
  walk.counts.unions += 1;
  return list.every((variant) => fits(variant, walk));
}

function fitsObject(node: Node, walk: Walk): boolean {
  const { properties, required = [], additionalProperties: others, patternProperties } = node;
  if (patternProperties !== undefined || isPlainObject(others)) return false;
  // Closed by the format, an object without properties would always be empty.
  if (properties === undefined) return others === false;
  if (!isPlainObject(properties) || !Array.isArray(required)) return false;
  if (required.some((name) => !Object.hasOwn(properties, String(name)))) return false;
  return Object.entries(properties).every(([name, property]) => {
    if (!required.includes(name)) walk.counts.optional += 1;
    return fits(property, walk);
  });
}

/** A definition is walked once, and counts each time that it is referred to: the API puts it there. */
function follows(reference: string, walk: Walk): boolean {
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1];
  const defs = walk.root['$defs'];
  if (name === undefined || !isPlainObject(defs) || walk.level > MAX_LEVELS) return false;
  const found = walk.known.get(name);
  if (found === 'open') return false;
  const counts = found ?? { optional: 0, unions: 0 };
  if (found === undefined) {
    walk.known.set(name, 'open');
    if (!fits(defs[name], { ...walk, level: walk.level + 1, counts })) return false;
    walk.known.set(name, counts);
  }
  walk.counts.optional += counts.optional;
  walk.counts.unions += counts.unions;
  return !isTooMuch(walk.counts);
}

function hasPlainLiterals({ enum: values, const: value }: Node): boolean {
  const all = [
    ...(Array.isArray(values) ? (values as unknown[]) : []),
    ...(value === undefined ? [] : [value]),
  ];
  return all.length > 0 && all.every((one) => one === null || literals.includes(typeof one));
}
