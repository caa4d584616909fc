import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { invalidRequest, type TypedError } from '../errors/typed-error.js';
import { isPlainObject } from '../platform/json.js';
import { fieldsOf, type FieldWords } from './fields/field-rules.decorator.js';

/** A field that breaks a rule. */
export interface FieldFault {
  /** The field's name, after those of the objects that it is in. */
  path: readonly string[];
  /** The validator's name of the rule. */
  rule: string;
  value: unknown;
  words: FieldWords;
}

/** The rule that an object has only the fields of its class. */
export const UNKNOWN_FIELD = 'whitelistValidation';

const FORM = 'turnpike:request-form';

/** How the fields of a request's class are refused. */
export interface RequestForm {
  /** Fields that the class does not have are refused: what it is called then. */
  closed?: string;
  /** The error's details have the field's path as `param`. */
  namesParam?: true;
  /** The error for a request, in the words of its wire. Default: the first fault alone. @param request as it came. */
  refuse?(faults: readonly FieldFault[], request: unknown): TypedError;
}

/** Declares how the fields of a class are refused. Default: the first fault alone; other fields are dropped. */
export const RequestForm =
  (form: RequestForm): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(FORM, form, target);

function formOf(type: Type | undefined): RequestForm {
  const form = type === undefined ? undefined : Reflect.getMetadata(FORM, type);
  return (form as RequestForm | undefined) ?? {};
}

/** The rules that a request breaks, before they are put in the words of its wire. */
class BrokenRules {
  constructor(readonly errors: ValidationError[]) {}
}

/**
 * Validates bodies, queries and parameters by the class of the handler's parameter, and makes instances
 * of it. `RequestForm` of the class says how faults are told.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  readonly #open = validationPipe(false);
  readonly #closed = validationPipe(true);

  /** @throws TypedError INVALID_REQUEST 400, or 422 with the list of faults. */
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const form = formOf(metadata.metatype);
    try {
      const pipe = form.closed === undefined ? this.#open : this.#closed;
      return await pipe.transform(value, metadata);
    } catch (thrown) {
      throw thrown instanceof BrokenRules ? refusalOf(thrown.errors, form, value) : thrown;
    }
  }
}

function validationPipe(forbidNonWhitelisted: boolean): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    // A field that a rule makes absent keeps its initial value.
    transformOptions: { exposeUnsetFields: false },
    whitelist: true,
    forbidNonWhitelisted,
    validationError: { target: true, value: true },
    exceptionFactory: (errors) => new BrokenRules(errors),
  });
}

const pipe = new RequestPipe();

/**
 * Validates what does not come as a handler's parameter, and makes an instance of its class.
 *
 * @throws TypedError as `RequestPipe` does.
 */
export async function takeRequest<T>(metatype: Type<T>, value: unknown): Promise<T> {
  return (await pipe.transform(value, { type: 'body', metatype })) as T;
}

/** Limits of an answer: a request may have names and values of any length. */
export const MAX_FAULT_NAME_CHARS = 60;
export const MAX_FAULT_MESSAGE_CHARS = 300;

function refusalOf(
  errors: readonly ValidationError[],
  { closed, namesParam, refuse }: RequestForm,
  request: unknown,
): TypedError {
  const faults = errors.flatMap((error) => faultsOf(error, request));
  if (refuse !== undefined) return refuse(faults, request);
  const param = faults[0]?.path.join('.') ?? null;
  return invalidRequest(firstInWords(faults, closed), namesParam && { param });
}

/** @param given the object that has the field, as it came: the validator drops what it does not know. */
function faultsOf(
  error: ValidationError,
  given: unknown,
  above: readonly string[] = [],
): FieldFault[] {
  const { property, constraints = {}, contexts = {}, children = [], target, value } = error;
  const path = [...above, property];
  const [rule] = Object.keys(constraints);
  const came = isPlainObject(given) ? given[property] : undefined;
  if (rule === undefined) return children.flatMap((child) => faultsOf(child, came, path));
  const words = (contexts[rule] ?? {}) as FieldWords;
  if (rule === UNKNOWN_FIELD) return [{ path, rule, value, words: { known: knownBeside(target) } }];
  const odd = Object.keys(came ?? {}).find((name) => words.known?.includes(name) === false);
  return [
    odd === undefined
      ? { path, rule, value, words }
      : { path: [...path, odd], rule: UNKNOWN_FIELD, value, words },
  ];
}

function knownBeside(target: object | undefined): string[] {
  return target === undefined ? [] : fieldsOf(target.constructor as new () => object);
}

function firstInWords([first]: readonly FieldFault[], whole = 'The request'): string {
  if (first === undefined) return 'The request is not valid: send a JSON object.';
  const { path, rule, value, words } = first;
  const [name = '', above] = [path.at(-1), path.slice(0, -1).join('.')];
  if (rule === UNKNOWN_FIELD) {
    const odd = JSON.stringify(clipped(name, MAX_FAULT_NAME_CHARS));
    const whose = above === '' ? whole : `'${above}'`;
    return `${whose} has no field ${odd}; its fields are ${words.known?.join(', ')}`;
  }
  if (words.says !== undefined) return words.says.replaceAll('$field', name);
  if (words.expected === undefined) return `Missing or invalid '${path.join('.')}'`;
  if (above === '') return `'${name}' must be ${words.expected}`;
  return clipped(
    `'${above}': ${name} must be ${words.expected}, not ${JSON.stringify(value)}`,
    MAX_FAULT_MESSAGE_CHARS,
  );
}

/** A text of a client, as far as an answer repeats it. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
