import { isPlainObject, type JsonObject, type JsonValue } from '../json.js';

/** A form that a person fills in: a flat object of texts, numbers, yes or no, and choices. */
export interface Form {
  fields: readonly FormField[];
}

export interface FormField {
  /** The key in the content. */
  name: string;
  /** For people. */
  title: string;
  description?: string;
  isRequired: boolean;
  kind: 'text' | 'number' | 'integer' | 'yes-no' | 'choice' | 'choices';
  /** Of a choice. */
  options: readonly { value: string; title: string }[];
  /** What the field holds before anybody fills it in. Absent: nothing. */
  standard?: JsonValue;
  format?: TextFormat;
  /** Characters of a text, items of choices, or the value of a number. */
  least?: number;
  most?: number;
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;
type TextFormat = (typeof formats)[number];

const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;
const MAX_TEXT_CHARS = 10_000;

/** Words for what nobody may be asked in a form. Names are read as words: `apiKey`, `api_key`. */
const secretWords =
  /\b(pass ?w(or)?d|pass ?phrase|secret|credentials?|api ?key|(access|auth|bearer|refresh|security) ?token|private ?key|cvv|cvc|card ?number|pin ?code)s?\b/;

/**
 * Reads the JSON Schema of a form. Only what a form can show is taken.
 *
 * @returns the form; or why it is none, as the end of a sentence about it.
 */
export function readForm(schema: unknown): Form | { fault: string } {
  if (!isPlainObject(schema) || schema['type'] !== 'object') {
    return { fault: 'its schema is not one of an object' };
  }
  const properties = schema['properties'] ?? {};
  const required = schema['required'] ?? [];
  if (!isPlainObject(properties) || !Array.isArray(required)) {
    return { fault: 'its schema has no list of fields' };
  }
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return { fault: `it has more than ${MAX_FIELDS} fields` };
  const fields: FormField[] = [];
  for (const [name, property] of entries) {
    const field = readField(name, property, required.includes(name));
    if (typeof field === 'string') return { fault: `its field ${JSON.stringify(name)} ${field}` };
    fields.push(field);
  }
  return { fields };
}

/**
 * Checks what a person filled in. A required field that is left out has its standard value.
 *
 * @returns the content; or the faults by their fields, each as the end of a sentence.
 */
export function checkContent(
  { fields }: Form,
  content: Readonly<Record<string, unknown>>,
): { content: JsonObject } | { faults: Record<string, string> } {
  const faults: Record<string, string> = {};
  const checked: JsonObject = {};
  for (const name of Object.keys(content)) {
    if (!fields.some((field) => field.name === name)) faults[name] = 'is no field of the form';
  }
  for (const field of fields) {
    const given = content[field.name] ?? (field.isRequired ? field.standard : undefined);
    if (given === undefined) {
      if (field.isRequired) faults[field.name] = 'is required';
      continue;
    }
    const fault = faultOf(field, given);
    if (fault === undefined) checked[field.name] = given as JsonValue;
    else faults[field.name] = fault;
  }
  return Object.keys(faults).length > 0 ? { faults } : { content: checked };
}

function readField(name: string, property: unknown, isRequired: boolean): FormField | string {
  if (!isPlainObject(property)) return 'has no schema';
  const { type, title, description } = property;
  const common = {
    name,
    title: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' && { description }),
    isRequired,
    options: [],
  };
  const asked = [name, common.title].map(wordsOf).join(' ');
  if (
    secretWords.test(asked) ||
    property['format'] === 'password' ||
    property['writeOnly'] === true
  )
    return 'asks for a secret, which a server may ask for on a page of its own only (by a link)';
  const field = readKind(common, type, property);
  if (typeof field === 'string') return field;
  const standard = property['default'];
  if (standard === undefined || standard === null) return field;
  const fault = faultOf(field, standard);
  return fault === undefined
    ? { ...field, standard: standard as JsonValue }
    : `has a default that ${fault}`;
}

type Common = Omit<FormField, 'kind'>;

function readKind(
  common: Common,
  type: unknown,
  property: Readonly<Record<string, unknown>>,
): FormField | string {
  switch (type) {
    case 'string': {
      const options = readOptions(property, 'oneOf');
      if (typeof options === 'string') return options;
      if (options !== undefined) return { ...common, kind: 'choice', options };
      const format = formats.find((one) => one === property['format']);
      const bounds = boundsOf(property, 'minLength', 'maxLength');
      return { ...common, kind: 'text', ...(format && { format }), ...bounds };
    }
    case 'number':
    case 'integer':
      return { ...common, kind: type, ...boundsOf(property, 'minimum', 'maximum') };
    case 'boolean':
      return { ...common, kind: 'yes-no' };
    case 'array': {
      const { items } = property;
      const options = isPlainObject(items) ? readOptions(items, 'anyOf') : undefined;
      if (typeof options === 'string') return options;
      if (options === undefined) return 'is a list of other things than choices';
      const bounds = boundsOf(property, 'minItems', 'maxItems');
      return { ...common, kind: 'choices', options, ...bounds };
    }
    default:
      return 'is none of text, number, yes or no, or a choice';
  }
}

/** The choices of a field: `enum` with `enumNames`, or constants with titles. */
function readOptions(
  property: Readonly<Record<string, unknown>>,
  key: 'oneOf' | 'anyOf',
): FormField['options'] | string | undefined {
  const { enum: values, enumNames } = property;
  const titled = property[key] ?? property['oneOf'];
  const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const listed: unknown[] | undefined = Array.isArray(values)
    ? values.map((value: unknown, index) => ({ const: value, title: names[index] }))
    : Array.isArray(titled)
      ? titled
      : undefined;
  if (listed === undefined) return undefined;
  if (listed.length === 0 || listed.length > MAX_OPTIONS) {
    return `has no choice, or more than ${MAX_OPTIONS}`;
  }
  const options = listed.flatMap((one) => {
    if (!isPlainObject(one) || typeof one['const'] !== 'string') return [];
    const { const: value, title } = one;
    return { value, title: typeof title === 'string' && title.trim() !== '' ? title : value };
  });
  return options.length === listed.length ? options : 'has a choice that is no text';
}

function boundsOf(
  property: Readonly<Record<string, unknown>>,
  lower: string,
  upper: string,
): Pick<FormField, 'least' | 'most'> {
  const [least, most] = [property[lower], property[upper]];
  return {
    ...(typeof least === 'number' && { least }),
    ...(typeof most === 'number' && { most }),
  };
}

function faultOf(field: FormField, value: unknown): string | undefined {
  const { kind, options } = field;
  const values = options.map((one) => one.value);
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? textFault(field, value) : 'must be text';
    case 'number':
    case 'integer':
      return numberFault(field, value);
    case 'yes-no':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'choice':
      return typeof value === 'string' && values.includes(value)
        ? undefined
        : `must be one of ${shown(values)}`;
    case 'choices': {
      const isListed = Array.isArray(value) && value.every((one) => values.includes(one as string));
      if (!isListed || new Set(value).size !== value.length) {
        return `must be a list of different ones of ${shown(values)}`;
      }
      return boundFault(field, value.length, 'choice');
    }
  }
}

function textFault({ format, least, most }: FormField, value: string): string | undefined {
  if (value.length > MAX_TEXT_CHARS) return `must have at most ${MAX_TEXT_CHARS} characters`;
  const bound = boundFault({ least, most }, [...value].length, 'character');
  if (bound !== undefined) return bound;
  if (format === undefined) return undefined;
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? undefined : 'must be an e-mail address';
    case 'uri':
      return URL.canParse(value) ? undefined : 'must be a URL';
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a date, as 2026-01-31';
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a time, as 2026-01-31T08:00:00Z';
  }
}

function numberFault({ kind, least, most }: FormField, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  if (least !== undefined && value < least) return `must be at least ${least}`;
  if (most !== undefined && value > most) return `must be at most ${most}`;
  return undefined;
}

function boundFault(
  { least, most }: { least?: number | undefined; most?: number | undefined },
  size: number,
  unit: string,
): string | undefined {
  const counted = (number: number) => `${number} ${number === 1 ? unit : `${unit}s`}`;
  if (least !== undefined && size < least) return `must have at least ${counted(least)}`;
  if (most !== undefined && size > most) return `must have at most ${counted(most)}`;
  return undefined;
}

function shown(values: readonly string[]): string {
  const first = values.slice(0, 10).join(', ');
  return values.length > 10 ? `${first}, …` : first;
}

/** A name as words: `apiKey` and `api_key` are `api key`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase();
}
