import { Ajv, type AnySchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isPlainObject, type JsonObject } from '../json.js';
import { objectSchema } from './object-schema.js';
import { isTooIntertwined, MAX_PARTS, referencesIn, resolveReference } from './references.js';
import { wordInvalid } from './word-invalid.js';

const options = { strict: false, validateFormats: false, logger: false } as const;
const draft7 = openDraft7();
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
 * The fault of a schema for which a model's provider would refuse the request, or nobody could follow it in bounded
 * time; undefined for none. The schema is validated against the meta-schema, and never compiled: the time is linear
 * in its length.
 */
export function findSchemaFault(schema: JsonObject): SchemaFault | undefined {
  const { $schema: dialect, ...rest } = schema;
  const ajv = typeof dialect === 'string' && dialect.includes('draft-07') ? draft7 : draft2020;
  if (ajv.validateSchema(rest) !== true) return wordInvalid(rest, ajv.errors ?? []);
  const lost = referencesIn(schema).find((one) => isLost(schema, one));
  if (lost !== undefined) {
    return { message: `it refers to ${lost.slice(0, 100)}, which is not in it`, pointer: '' };
  }
  if (isTooIntertwined(schema)) {
    return {
      message: `it has more than ${MAX_PARTS} parts once each $ref is replaced by what it refers to: let fewer definitions refer to each other more than once`,
      pointer: '',
    };
  }
  if (objectSchema(schema) !== undefined) return undefined;
  const { type = 'object' } = rest;
  return { message: 'its root is not of type "object"', pointer: type === 'object' ? '' : '/type' };
}

/** References by anchor (`#a`) that are in no part are left to the provider. */
function isLost(schema: JsonObject, reference: string): boolean {
  if (/^#[^/]/.test(reference)) return false;
  return resolveReference(schema, reference) === undefined;
}

/** Draft 7, but for the rule that values of `enum` differ: each would be compared with every other. */
function openDraft7(): Ajv {
  const ajv = new Ajv({ ...options, meta: false });
  const whole = new Ajv(options).getSchema('http://json-schema.org/draft-07/schema')?.schema;
  if (!isPlainObject(whole)) throw new Error('ajv has no meta-schema of draft 7');
  const meta: AnySchemaObject = structuredClone(whole);
  meta['properties'].enum = { type: 'array' };
  ajv.addMetaSchema(meta);
  ajv.opts.defaultMeta = 'http://json-schema.org/draft-07/schema';
  return ajv;
}
