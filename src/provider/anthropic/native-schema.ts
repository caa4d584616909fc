import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { isPlainObject, type JsonObject } from '../../platform/json.js';

type Node = Record<string, unknown>;

/** Most optional properties and unions of a schema that the API compiles. */
const mostOptional = 24;
const mostUnions = 16;

const literals = ['string', 'number', 'boolean'];

/**
 * A schema as the API's format takes it: the SDK moves keywords that are not compiled to descriptions.
 * Undefined where the format would forbid what the schema allows, or the API would refuse it: with maps
 * of free keys, recursion, and too many optional properties or unions. Pure.
 */
export function nativeSchema(schema: JsonObject): JsonObject | undefined {
  const walk = { root: schema, references: [], counts: { optional: 0, unions: 0 } };
  if (!fits(schema, walk)) return undefined;
  if (walk.counts.optional > mostOptional || walk.counts.unions > mostUnions) return undefined;
  return transformJSONSchema(schema);
}

interface Walk {
  root: Node;
  /** References on the way here. */
  references: readonly string[];
  counts: { optional: number; unions: number };
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

/** One keyword of variants, and no other that the SDK would leave beside it. */
function fitsVariants(node: Node, variants: readonly string[], walk: Walk): boolean {
  const [key = '', ...others] = variants;
  const list = node[key];
  if (others.length > 0 || !Array.isArray(list) || list.length === 0) return false;
  if (['properties', 'items', 'type'].some((beside) => node[beside] !== undefined)) return false;
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

function follows(reference: string, walk: Walk): boolean {
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1];
  const defs = walk.root['$defs'];
  if (name === undefined || !isPlainObject(defs) || walk.references.includes(name)) return false;
  return fits(defs[name], { ...walk, references: [...walk.references, name] });
}

function hasPlainLiterals({ enum: values, const: value }: Node): boolean {
  const all = [
    ...(Array.isArray(values) ? (values as unknown[]) : []),
    ...(value === undefined ? [] : [value]),
  ];
  return all.length > 0 && all.every((one) => one === null || literals.includes(typeof one));
}
