import { withoutDirections } from '../text/well-formed.js';
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
  /** The options of a `choice`, whose values may be of any kind, or of `choices`, whose values are texts. */
  options: readonly { value: ChoiceValue; title: string }[];
  /** What the field holds before anybody fills it in. Absent: nothing. */
  standard?: JsonValue;
  format?: TextFormat;
  /** Characters of a text, items of choices, or the value of a number. */
  least?: number;
  most?: number;
  /** Bounds of a number, which are out of them. */
  above?: number;
  below?: number;
}

export type ChoiceValue = string | number | boolean;

const formats = ['email', 'uri', 'date', 'date-time'] as const;
type TextFormat = (typeof formats)[number];

/** Whether a format means something here: that of any other text is none. */
export function isFormat(format: unknown): boolean {
  return formats.some((one) => one === format) || format === SECRET_FORMAT;
}

const SECRET_FORMAT = 'password';

const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;
const MAX_TEXT_CHARS = 10_000;

/** Words for what nobody may be asked in a form. Names are read as words: `apiKey`, `api_key`. */
const secretWords =
  /\b(pass ?w(or)?d|pass ?phrase|secret|credentials?|api ?key|(access|auth|bearer|refresh|security) ?token|private ?key|cvv|cvc|card ?number|pin ?code)s?\b/;

/** What only a text or a number can hold: `PIN` beside a box to tick pins something. */
const typedSecrets =
  /(?<![\p{L}\p{N}])(pin|pins|otp|totp|passcode|one ?time ?(code|pin)|(verification|security|recovery|backup|2fa|mfa|authenticator) ?codes?|(seed|recovery|secret|mnemonic) ?(phrase|words)|mnemonic|passwort|kennwort|geheimzahl|mot de passe|contraseña|contrasena|senha|wachtwoord|lösenord|hasło|пароль)(?![\p{L}\p{N}])|密码|密碼|パスワード|비밀번호/u;

/** Of these a description speaks where it asks for them. */
const describedSecrets =
  /(?<![\p{L}\p{N}])(pass ?words?|pass ?phrases?|passcodes?|pin ?codes?|one ?time ?(code|pin)|(seed|recovery) ?phrases?|passwort|kennwort)(?![\p{L}\p{N}])/u;

const typedKinds: readonly unknown[] = ['string', 'number', 'integer'];

/** Whether a field asks for what nobody may be asked in a form, as far as its words say. */
function asksForSecret(
  { name, title, description = '' }: Common,
  type: unknown,
  property: Readonly<Record<string, unknown>>,
): boolean {
  // Letters that stand alone are a word: `p a s s w o r d`.
  const joined = (words: string): string =>
    words.replaceAll(/(?<=(?:^| )\p{L}) (?=\p{L}(?: |$))/gu, '');
  const asked = [name, title].map(wordsOf).flatMap((words) => [words, joined(words)]);
  const isChosen = property['enum'] !== undefined || property['oneOf'] !== undefined;
  const isTyped = typedKinds.includes(type) && !isChosen;
  return (
    asked.some((words) => secretWords.test(words)) ||
    (isTyped && asked.some((words) => typedSecrets.test(words))) ||
    (isTyped && describedSecrets.test(wordsOf(description))) ||
    property['format'] === SECRET_FORMAT ||
    property['writeOnly'] === true
  );
}

/**
 * Reads the JSON Schema of a form, a plain one (`plain-form.ts`). Only what a form can show is taken.
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
    title: withoutDirections(typeof title === 'string' && title.trim() !== '' ? title : name),
    ...(typeof description === 'string' && { description: withoutDirections(description) }),
    isRequired,
    options: [],
  };
  if (asksForSecret(common, type, property))
    return 'asks for a secret, which a server may ask for on a page of its own only (by a link)';
  const field = readKind(common, type, property);
  if (typeof field === 'string') return field;
  const standard = property['default'];
  if (standard === undefined || standard === null) return field;
  // One that does not fit is none: the person chooses.
  if (faultOf(field, standard) !== undefined) return field;
  return { ...field, standard: standard as JsonValue };
}

type Common = Omit<FormField, 'kind'>;

function readKind(
  common: Common,
  type: unknown,
  property: Readonly<Record<string, unknown>>,
): FormField | string {
  const options = type === 'array' ? undefined : readOptions(property, 'oneOf');
  if (typeof options === 'string') return options;
  if (options !== undefined) {
    const isOdd = options.some(({ value }) => !isOfType(type, value));
    return isOdd
      ? 'has a choice that does not fit its type'
      : { ...common, kind: 'choice', options };
  }
  switch (type) {
    case 'string': {
      const format = formats.find((one) => one === property['format']);
      const bounds = boundsOf(property, 'minLength', 'maxLength');
      return { ...common, kind: 'text', ...(format && { format }), ...bounds };
    }
    case 'number':
    case 'integer': {
      const { exclusiveMinimum: above, exclusiveMaximum: below } = property;
      return {
        ...common,
        kind: type,
        ...boundsOf(property, 'minimum', 'maximum'),
        ...(typeof above === 'number' && { above }),
        ...(typeof below === 'number' && { below }),
      };
    }
    case 'boolean':
      return { ...common, kind: 'yes-no' };
    case 'array': {
      const { items } = property;
      const listed = isPlainObject(items) ? readOptions(items, 'anyOf') : undefined;
      if (typeof listed === 'string') return listed;
      const areTexts = listed?.every(({ value }) => typeof value === 'string') === true;
      if (!areTexts) return 'is a list, but not one of choices that are texts';
      const bounds = boundsOf(property, 'minItems', 'maxItems');
      return { ...common, kind: 'choices', options: listed, ...bounds };
    }
    default:
      return 'is none of text, number, yes or no, or a choice';
  }
}

/** Whether a choice is of its field's type, where that is said. */
function isOfType(type: unknown, value: ChoiceValue): boolean {
  if (type === undefined) return true;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
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
    const { const: value, title } = isPlainObject(one) ? one : {};
    if (!isChoice(value)) return [];
    const isTitled = typeof title === 'string' && title.trim() !== '';
    return { value, title: withoutDirections(isTitled ? title : String(value)) };
  });
  return options.length === listed.length
    ? options
    : 'has a choice that is neither text nor number';
}

function isChoice(value: unknown): value is ChoiceValue {
  return ['string', 'number', 'boolean'].includes(typeof value);
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
  const values: unknown[] = options.map((one) => one.value);
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? textFault(field, value) : 'must be text';
    case 'number':
    case 'integer':
      return numberFault(field, value);
    case 'yes-no':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'choice':
      return values.includes(value) ? undefined : `must be one of ${shown(values)}`;
    case 'choices': {
      const isListed = Array.isArray(value) && value.every((one) => values.includes(one));
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

function numberFault(
  { kind, least, most, above, below }: FormField,
  value: unknown,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  if (least !== undefined && value < least) return `must be at least ${least}`;
  if (most !== undefined && value > most) return `must be at most ${most}`;
  if (above !== undefined && value <= above) return `must be more than ${above}`;
  if (below !== undefined && value >= below) return `must be less than ${below}`;
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

function shown(values: readonly unknown[]): string {
  const first = values.slice(0, 10).map(String).join(', ');
  return values.length > 10 ? `${first}, …` : first;
}

/** A name as words: `apiKey` and `api_key` are `api key`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase();
}
