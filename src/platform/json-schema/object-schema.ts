import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, type JsonObject, type JsonValue } from '../json.js';
import { resolveReference } from './references.js';

/** Keywords that say nothing about values. */
const silent = new Set(
  '$schema $id $anchor $dynamicAnchor $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);
const variantKeys = ['anyOf', 'oneOf'] as const;
/** Properties that are put together at most; later parts are left out, as a schema may be made to have millions. */
const MAX_MERGES = 20_000;
/** Schemas of one property in a list at most. */
const MAX_JOINED = 32;
/** References inside of each other at most: code that follows more of them would overflow its stack. */
const MAX_LEVELS = 200;

/**
 * The schema of objects with `type: "object"` and the properties at its root, as providers of models take tools:
 * the root's reference, `allOf`, `anyOf` and `oneOf` are put together, so that it may allow more than the schema does.
 * Undefined where no object can be right. A schema that is like this already is given back as it is. The schema has
 * no fault (`findSchemaFault`). Pure.
 */
export function objectSchema(schema: JsonObject): JsonObject | undefined {
  if (schema['type'] === 'object' && !hasParts(schema)) return schema;
  return new Flattening(schema).flatten(schema);
}

/**
 * The schema with what its root refers to in the reference's place, where that changes nothing of what it allows;
 * with `type: "object"`, where the root has none: an object is expected. Pure.
 */
export function withoutRootReference(schema: JsonObject): JsonObject {
  const { $ref, allOf, ...rest } = schema;
  const [only] = Array.isArray(allOf) && allOf.length === 1 && $ref === undefined ? allOf : [];
  const reference = isPlainObject(only) && Object.keys(only).length === 1 ? only['$ref'] : $ref;
  if (reference === undefined) {
    return schema['type'] === undefined && !hasParts(schema)
      ? { ...schema, type: 'object' }
      : schema;
  }
  const target = typeof reference === 'string' ? resolveReference(schema, reference) : undefined;
  const isPlain = isPlainObject(target) && target !== schema && target['$ref'] === undefined;
  const isSaying = ([key, value]: [string, JsonValue]): boolean =>
    !silent.has(key) && !(key === 'type' && value === 'object');
  if (!isPlain || Object.entries(rest).some(isSaying)) return schema;
  if ($ref !== undefined && allOf !== undefined) return schema;
  return { ...target, ...rest };
}

function hasParts(schema: JsonObject): boolean {
  return ['$ref', 'allOf', ...variantKeys].some((key) => schema[key] !== undefined);
}

class Flattening {
  /** Each part once; undefined while it is on its way: met again inside of itself, it adds nothing. */
  readonly #known = new Map<JsonObject, JsonObject | undefined | 'open'>();
  #merges = 0;
  #level = 0;

  constructor(private readonly root: JsonObject) {}

  flatten(given: JsonValue): JsonObject | undefined {
    const isTooMuch = this.#merges > MAX_MERGES || this.#level > MAX_LEVELS;
    if (given === true || isTooMuch) return { type: 'object' };
    if (!isPlainObject(given)) return undefined;
    const part = given;
    const known = this.#known.get(part);
    if (known === 'open') return { type: 'object' };
    if (known !== undefined || this.#known.has(part)) return known;
    this.#known.set(part, 'open');
    this.#level += 1;
    const flat = this.#flattenNew(part);
    this.#level -= 1;
    this.#known.set(part, flat);
    return flat;
  }

  #flattenNew(part: JsonObject): JsonObject | undefined {
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = part;
    const { type = 'object' } = own;
    if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
    const target =
      typeof reference === 'string' ? [resolveReference(this.root, reference) ?? true] : [];
    const parts = [...target, ...listOf(allOf)].map((one) => this.flatten(one));
    const variants = [anyOf, oneOf].filter(Array.isArray).map((list) => {
      const fitting = list.map((one) => this.flatten(one)).filter((one) => one !== undefined);
      return fitting.length === 0 ? undefined : fitting.reduce((a, b) => this.#either(a, b));
    });
    let whole: JsonObject = { type: 'object' };
    for (const one of [...parts, ...variants, { ...own, type: 'object' }]) {
      if (one === undefined) return undefined;
      whole = this.#both(whole, one);
    }
    return whole;
  }

  /** What both schemas say together; the second one's words where they contradict each other. */
  #both(a: JsonObject, b: JsonObject): JsonObject {
    const required = [...new Set([...listOf(a['required']), ...listOf(b['required'])])];
    const isClosed = a['additionalProperties'] === false || b['additionalProperties'] === false;
    return { ...a, ...b, ...this.#properties(a, b, 'allOf'), ...rules(required, isClosed) };
  }

  /** What at least one of two schemas says. */
  #either(a: JsonObject, b: JsonObject): JsonObject {
    const others = new Set(listOf(b['required']));
    const required = listOf(a['required']).filter((name) => others.has(name));
    const isClosed = a['additionalProperties'] === false && b['additionalProperties'] === false;
    return { type: 'object', ...this.#properties(a, b, 'anyOf'), ...rules(required, isClosed) };
  }

  #properties(a: JsonObject, b: JsonObject, join: 'allOf' | 'anyOf'): JsonObject {
    const [first, second] = [a['properties'], b['properties']];
    if (!isPlainObject(first) && !isPlainObject(second)) return {};
    const properties = new Map(isPlainObject(first) ? Object.entries(first) : []);
    for (const [name, given] of isPlainObject(second) ? Object.entries(second) : []) {
      const known = properties.get(name);
      properties.set(name, known === undefined ? given : joined(known, given, join));
    }
    this.#merges += properties.size;
    return { properties: Object.fromEntries(properties) };
  }
}

function rules(required: JsonValue[], isClosed: boolean): JsonObject {
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed ? { additionalProperties: false } : {}),
  };
}

/** One of both where they are the same, else both in a list. */
function joined(known: JsonValue, given: JsonValue, join: 'allOf' | 'anyOf'): JsonValue {
  const all = [...alternatives(known, join)];
  for (const one of alternatives(given, join)) {
    if (all.length === MAX_JOINED) break;
    if (!all.some((other) => isDeepStrictEqual(other, one))) all.push(one);
  }
  const [first = known] = all;
  return all.length === 1 ? first : { [join]: all };
}

function alternatives(given: JsonValue, join: 'allOf' | 'anyOf'): JsonValue[] {
  const list = isPlainObject(given) && Object.keys(given).length === 1 ? given[join] : undefined;
  return Array.isArray(list) ? list : [given];
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
