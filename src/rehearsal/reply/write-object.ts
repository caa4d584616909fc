import { isPlainObject } from '../../platform/json.js';

type Schema = Record<string, unknown>;

/** The simplest value that a schema of the API's subset takes: all properties, one item of a list. Pure. */
export function writeValue(schema: unknown, root: Schema): unknown {
  if (!isPlainObject(schema)) return null;
  const { $ref: reference, const: only, enum: values, type } = schema;
  if (typeof reference === 'string') return writeValue(resolve(reference, root), root);
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0] as unknown;
  const { anyOf, allOf } = schema;
  if (Array.isArray(anyOf)) return writeValue(anyOf[0], root);
  if (Array.isArray(allOf)) return writeAll(allOf, root);
  return writeTyped(Array.isArray(type) ? (type[0] as unknown) : type, schema, root);
}

function writeAll(schemas: readonly unknown[], root: Schema): unknown {
  const written = schemas.map((schema) => writeValue(schema, root));
  return written.every(isPlainObject) ? Object.assign({}, ...written) : written[0];
}

function writeTyped(type: unknown, schema: Schema, root: Schema): unknown {
  switch (type) {
    case 'object': {
      const { properties } = schema;
      const all = isPlainObject(properties) ? Object.entries(properties) : [];
      return Object.fromEntries(all.map(([name, one]) => [name, writeValue(one, root)]));
    }
    case 'array':
      return schema['items'] === undefined ? [] : [writeValue(schema['items'], root)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return samples[String(schema['format'])] ?? 'text';
  }
}

const samples: Readonly<Record<string, string>> = {
  'date-time': '2026-11-23T12:00:00Z',
  time: '12:00:00Z',
  date: '2026-11-23',
  duration: 'PT1M',
  email: 'someone@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

function resolve(reference: string, root: Schema): unknown {
  const [, group = '', name = ''] = reference.split('/');
  const defs = root[group];
  return isPlainObject(defs) ? defs[name] : undefined;
}

/** A text in pieces of a few characters, as a model streams JSON. */
export function inPieces(text: string, length = 12): string[] {
  const pieces = [];
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length));
  return pieces;
}
