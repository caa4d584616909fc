import { isDeepStrictEqual } from 'node:util';
import { isPlainObject, type JsonObject, type JsonValue } from '../json.js';
import { resolveReference } from '../json-schema/references.js';
import { isFormat, readForm } from './form.js';

/** A form in the words that all clients can show. */
interface PlainForm {
  /** Without references, unions, defaults that do not fit and formats that nobody knows. */
  schema: JsonObject;
  /** Required fields whose value may be null: one that is left empty is. */
  nullable: string[];
}

/** Schemas that are looked at for one form: definitions may refer to each other many times. */
const MAX_PARTS = 5_000;
/** References that lead to each other. */
const MAX_DEPTH = 30;

/**
 * Makes a plain form of the schema that a server has: libraries write an optional field as a union with null, a choice as
 * a reference, and choices without a type.
 *
 * @returns the form; or why it is none, as the end of a sentence about it.
 */
export function plainForm(given: unknown): PlainForm | { fault: string } {
  // It came as JSON.
  const root = isPlainObject(given) ? (given as JsonObject) : {};
  const context = { root, left: MAX_PARTS };
  const whole = unfold(context, root, 0);
  if (typeof whole === 'string') return { fault: `its schema ${whole}` };
  const { $defs: _defs, definitions: _definitions, properties, required, ...schema } = whole.schema;
  const wanted = textsOf(required);
  const fields: JsonObject = {};
  const nullable: string[] = [];
  for (const [name, property] of Object.entries(isPlainObject(properties) ? properties : {})) {
    const field = unfold(context, property, 0);
    if (typeof field === 'string') return { fault: `its field ${JSON.stringify(name)} ${field}` };
    fields[name] = plainField(context, field.schema);
    if (field.isNullable && wanted.includes(name)) nullable.push(name);
  }
  const plain: JsonObject = {
    ...(properties !== undefined && { type: 'object' }),
    ...schema,
    properties: isPlainObject(properties) ? fields : (properties ?? {}),
    required: Array.isArray(required)
      ? wanted.filter((name) => !nullable.includes(name))
      : (required ?? []),
  };
  const form = readForm(plain);
  if ('fault' in form) return form;
  for (const { name, standard } of form.fields) {
    const field = fields[name];
    if (standard === undefined && isPlainObject(field)) delete field['default'];
  }
  return { schema: plain, nullable };
}

function textsOf(value: JsonValue | undefined): string[] {
  return (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string');
}

interface Context {
  /** What references lead into. */
  root: JsonObject;
  left: number;
}

/** A schema without references, unions of one, and null. */
interface Unfolded {
  schema: JsonObject;
  isNullable: boolean;
}

/** @returns the fault of a schema, as the end of a sentence about its field. */
function unfold(context: Context, given: JsonValue | undefined, depth: number): Unfolded | string {
  if (!isPlainObject(given)) return 'has no schema';
  context.left -= 1;
  if (context.left < 0) return 'refers to too many definitions';
  if (depth > MAX_DEPTH) return 'refers to itself';
  const { $ref: reference, allOf, anyOf, oneOf, ...rest } = given;
  const parts = [withoutNull(rest)];
  if (typeof reference === 'string') {
    const target = resolveReference(context.root, reference);
    if (target === undefined)
      return `refers to ${reference.slice(0, 100)}, which is not in the form`;
    parts.push(unfold(context, target, depth + 1));
  }
  for (const part of Array.isArray(allOf) ? allOf : [])
    parts.push(unfold(context, part, depth + 1));
  for (const union of [anyOf, oneOf]) {
    if (Array.isArray(union)) parts.push(unite(context, union, depth + 1));
  }
  return parts.reduce(both);
}

/** Keywords that say something of a field, and hold no value to it: those of the field itself count. */
const annotations = ['title', 'description', 'default', 'examples', 'deprecated'];

/** What fits two schemas. */
function both(one: Unfolded | string, other: Unfolded | string): Unfolded | string {
  if (typeof one === 'string') return one;
  if (typeof other === 'string') return other;
  const clash = Object.keys(other.schema).find(
    (keyword) =>
      Object.hasOwn(one.schema, keyword) &&
      !annotations.includes(keyword) &&
      !isDeepStrictEqual(one.schema[keyword], other.schema[keyword]),
  );
  if (clash !== undefined) return `has two rules for ${clash.slice(0, 100)}`;
  return {
    schema: { ...other.schema, ...one.schema },
    isNullable: one.isNullable && other.isNullable,
  };
}

const onlyNull = 'can be nothing but null';

/** A schema's own keywords, null apart: `type` is one, `const` a choice of one, and choices have a type. */
function withoutNull({ const: only, enum: given, ...rest }: JsonObject): Unfolded | string {
  const listed = only === undefined ? given : [only];
  const { type: types, nullable, enumNames: names, ...schema } = rest;
  if (nullable !== undefined && typeof nullable !== 'boolean')
    return 'has a nullable that is neither true nor false';
  let isNullable = true;
  if (types !== undefined) {
    const all = Array.isArray(types) ? types : [types];
    const type = preferred(all.filter((one) => one !== 'null'));
    if (type === undefined) return onlyNull;
    isNullable = nullable === true || all.includes('null');
    schema['type'] = type;
  }
  if (!Array.isArray(listed)) return { schema, isNullable };
  isNullable &&= listed.includes(null);
  const kept = listed.filter((one) => one !== null);
  if (kept.length === 0 && listed.length > 0) return onlyNull;
  const type = schema['type'] ?? typeOf(kept);
  const titles = Array.isArray(names) ? names.filter((_, index) => listed[index] !== null) : names;
  return {
    schema: {
      ...schema,
      ...(type !== undefined && { type }),
      ...(isYesNo(kept) ? {} : { enum: kept }),
      ...(titles !== undefined && { enumNames: titles }),
    },
    isNullable,
  };
}

/** Types of a form's fields, those first that take an answer in most ways. */
const order = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** Of several types, one: an answer need not fit the others. */
function preferred(types: readonly JsonValue[]): JsonValue | undefined {
  return order.find((one) => types.includes(one)) ?? types[0];
}

function isYesNo(values: readonly JsonValue[]): boolean {
  return values.length === 2 && values.includes(true) && values.includes(false);
}

function typeOf(values: readonly JsonValue[]): string | undefined {
  const is = (type: string) => values.length > 0 && values.every((one) => typeof one === type);
  if (is('number')) return values.every(Number.isInteger) ? 'integer' : 'number';
  return ['string', 'boolean'].find(is);
}

/** What fits one of several schemas: what is left without null, all choices together, or the one that is asked best. */
function unite(context: Context, union: readonly JsonValue[], depth: number): Unfolded | string {
  const all = union.map((one) => unfold(context, one, depth));
  const isNullable = all.some((one) =>
    typeof one === 'string' ? one === onlyNull : one.isNullable,
  );
  const members = all.filter((one) => typeof one !== 'string').map(({ schema }) => schema);
  const [first] = members;
  if (first === undefined)
    return all.find((one) => one !== onlyNull && typeof one === 'string') ?? onlyNull;
  if (members.length === 1) return { schema: first, isNullable };
  const choices = members.map(choicesOf);
  const known = choices.filter((one) => one !== undefined).flat();
  if (!choices.includes(undefined)) {
    const values = known.map((one) => one['const'] ?? null);
    const type = typeOf(values);
    const typed: JsonObject = type === undefined ? {} : { type };
    const isTitled = known.some(({ title }) => title !== undefined);
    const titled = known.map((one) => ({ title: titleOf(one['const']), ...one }));
    return {
      schema: { ...typed, ...(isTitled ? { oneOf: titled } : { enum: values }) },
      isNullable,
    };
  }
  const type = preferred(members.map(({ type: one = 'object' }) => one));
  const free = members.find((one) => one['type'] === type && choicesOf(one) === undefined);
  return { schema: free ?? members.find((one) => one['type'] === type) ?? first, isNullable };
}

/** A choice without a title is shown as it is. */
function titleOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The choices of an unfolded schema, as constants with titles; undefined: it has none. */
function choicesOf({
  enum: values,
  enumNames,
  oneOf,
  title,
}: JsonObject): JsonObject[] | undefined {
  if (Array.isArray(oneOf)) return oneOf.flatMap((one) => (isPlainObject(one) ? [one] : []));
  if (!Array.isArray(values)) return undefined;
  const names = Array.isArray(enumNames) ? enumNames : values.length === 1 ? [title] : [];
  return values.map((value, index) => {
    const name = names[index];
    return { const: value, ...(typeof name === 'string' && { title: name }) };
  });
}

/** A field with what clients know of it. */
function plainField(context: Context, field: JsonObject): JsonObject {
  const { format, items, exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = field;
  const isInteger = rest['type'] === 'integer';
  return {
    ...rest,
    ...(isFormat(format) && { format }),
    ...(items !== undefined && { items: plainItems(context, items) }),
    ...(typeof above === 'number' &&
      (isInteger ? { minimum: Math.floor(above) + 1 } : { exclusiveMinimum: above })),
    ...(typeof below === 'number' &&
      (isInteger ? { maximum: Math.ceil(below) - 1 } : { exclusiveMaximum: below })),
  };
}

/** What a list consists of: choices with titles are called `anyOf` there. What is none is refused where it is read. */
function plainItems(context: Context, items: JsonValue): JsonValue {
  const unfolded = unfold(context, items, 0);
  if (typeof unfolded === 'string') return items;
  const { oneOf, type, ...rest } = unfolded.schema;
  return oneOf === undefined
    ? { ...rest, ...(type !== undefined && { type }) }
    : { ...rest, anyOf: oneOf };
}
