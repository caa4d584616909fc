import { isPlainObject } from '../json.js';

type Schema = Record<string, unknown>;

/** A part that is inside of itself: nothing is written for it. */
const circle = Symbol('circle');

/** The simplest value of a schema: all properties, one item of a list, nothing inside of itself. Pure. */
export function writeValue(schema: unknown, root: Schema): unknown {
  const value = write(schema, { root, above: [], budget: { values: MAX_VALUES } });
  return value === circle ? null : value;
}

/** Values of one object at most; after them, none is written. Definitions that all refer to all have millions. */
const MAX_VALUES = 10_000;

interface Place {
  root: Schema;
  budget: { values: number };
  /** What references on the way here lead to. */
  above: readonly unknown[];
}

function write(schema: unknown, place: Place): unknown {
  if (!isPlainObject(schema)) return null;
  place.budget.values -= 1;
  if (place.budget.values < 0) return circle;
  const { $ref: reference, const: only, enum: values, type } = schema;
  if (typeof reference === 'string') {
    const target = resolvePointer(place.root, reference);
    if (place.above.includes(target)) return circle;
    return write(target, { ...place, above: [...place.above, target] });
  }
  if (only !== undefined) return only;
  if (Array.isArray(values)) return values[0] as unknown;
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(variants)) {
    for (const variant of variants) {
      const value = write(variant, place);
      if (value !== circle) return value;
    }
    return circle;
  }
  const { allOf } = schema;
  if (Array.isArray(allOf)) return writeAll(allOf, place);
  const named = Array.isArray(type) ? (type[0] as unknown) : type;
  return writeTyped(named ?? (schema['properties'] && 'object'), schema, place);
}

/** What a reference leads to: `#`, or a pointer as `#/$defs/a`; undefined where the schema does not have it. */
function resolvePointer(root: Schema, reference: string): unknown {
  const [start, ...keys] = reference.replace(/\/$/, '').split('/');
  if (start !== '#') return undefined;
  return keys.reduce<unknown>((at, encoded) => {
    const key = encoded.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) return at[Number(key)] as unknown;
    return isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

function writeAll(schemas: readonly unknown[], place: Place): unknown {
  const written = schemas.map((schema) => write(schema, place));
  return written.every(isPlainObject) ? Object.assign({}, ...written) : written[0];
}

function writeTyped(type: unknown, schema: Schema, place: Place): unknown {
  switch (type) {
    case 'object': {
      const { properties } = schema;
      const all = isPlainObject(properties) ? Object.entries(properties) : [];
      const written = all.map(([name, one]): [string, unknown] => [name, write(one, place)]);
      return Object.fromEntries(written.filter(([, value]) => value !== circle));
    }
    case 'array': {
      const item = schema['items'] === undefined ? circle : write(schema['items'], place);
      return item === circle ? [] : [item];
    }
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

/** A text in pieces of a few characters, as a model streams JSON. */
export function inPieces(text: string, length = 12): string[] {
  const pieces = [];
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length));
  return pieces;
}
