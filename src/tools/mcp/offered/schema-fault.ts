import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../platform/json.js';

const options = { strict: false, validateFormats: false, logger: false } as const;
const draft7 = new Ajv(options);
const draft2020 = new Ajv2020(options);

/** A fault in words, and the JSON pointer to its place in the schema. */
export interface SchemaFault {
  message: string;
  pointer: string;
}

/** See `findSchemaFault`. */
export function schemaFault(schema: JsonObject): string | undefined {
  return findSchemaFault(schema)?.message;
}

/**
 * The fault of a schema for which a model's provider would refuse the request; undefined for none. The
 * schema is validated against the meta-schema, and never compiled.
 */
export function findSchemaFault(schema: JsonObject): SchemaFault | undefined {
  if (schema['type'] !== 'object') {
    return { message: 'its root is not of type "object"', pointer: '/type' };
  }
  const { $schema: dialect, ...rest } = schema;
  const ajv = typeof dialect === 'string' && dialect.includes('draft-07') ? draft7 : draft2020;
  if (ajv.validateSchema(rest) !== true) {
    const [error] = ajv.errors ?? [];
    const where = error?.instancePath === '' ? 'its root' : (error?.instancePath ?? 'it');
    return {
      message: `${where} ${error?.message ?? 'is not valid'}`,
      pointer: error?.instancePath ?? '',
    };
  }
  const lost = referencesOf(schema).find((reference) => !resolves(schema, reference));
  if (lost === undefined) return undefined;
  return { message: `it refers to ${lost.slice(0, 100)}, which is not in it`, pointer: '' };
}

function referencesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (!isPlainObject(value)) return [];
  const own = value['$ref'];
  const below = Object.values(value).flatMap(referencesOf);
  return typeof own === 'string' ? [own, ...below] : below;
}

/**
 * Whether a reference as `#/$defs/a` resolves; references by anchor (`#a`) are left to the
 * provider.
 */
function resolves(schema: JsonObject, reference: string): boolean {
  if (reference === '#' || /^#[^/]/.test(reference)) return true;
  if (!reference.startsWith('#/')) return false;
  let at: JsonValue | undefined = schema;
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at !== undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
