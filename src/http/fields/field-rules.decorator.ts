import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  NotContains,
  ValidateIf,
  getMetadataStorage,
  type ValidationOptions,
  ValidateBy,
  IsObject,
  ValidateNested,
} from 'class-validator';
import { compact } from '../../platform/compact.js';
import { isStorable } from '../../storage/connection.js';
import { isId } from '../../platform/ids.js';

/** The words for a wrong field, where its wire has no others. */
export interface FieldWords {
  /** Completes "must be …". */
  expected?: string;
  /** The whole sentence; `$field` is the field's name. */
  says?: string;
  /** The fields that an object may have. */
  known?: readonly string[];
}

/** Validation options: what the field must be. */
export function mustBe(expected: string): ValidationOptions {
  return { context: { expected } satisfies FieldWords };
}

/** Validation options: the sentence for a wrong field. */
export function says(text: string): ValidationOptions {
  return { context: { says: text } satisfies FieldWords };
}

/** Validation options: the fields that an object of the class may have. */
function knownFieldsOf(type: abstract new () => object): ValidationOptions {
  return { context: { known: fieldsOf(type) } satisfies FieldWords };
}

/** Names of the validated fields of a class, its own before inherited ones. */
export function fieldsOf(type: abstract new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

const noTexts = says("Field '$field' must be an array of strings");

/** NUL, which neither a path nor a text column can contain. */
const NUL = '\u0000';

/** The rules of fields. What a field is for is said in its doc comment. */

/** A required text field, trimmed and not blank. */
export function RequiredText(description?: string, example?: string) {
  return applyDecorators(
    ApiProperty({ type: String, ...compact({ description, example }) }),
    Trimmed(),
    IsString(),
    IsNotEmpty(),
    NotContains(NUL),
  );
}

/** An optional text field, trimmed; blank counts as absent. */
export function OptionalText(description?: string, example?: string) {
  return applyDecorators(
    ApiProperty({ type: String, ...compact({ description, example }) }),
    EmptyIsAbsent(),
    // The last transformation is the first.
    Trimmed(),
    IsString(),
    NotContains(NUL),
  );
}

/** An optional list of texts; null is invalid. */
export function OptionalTexts(description?: string) {
  return applyDecorators(
    ApiProperty({ type: [String], ...compact({ description }) }),
    MayBeAbsent(),
    IsArray(noTexts),
    IsString({ each: true, ...noTexts }),
  );
}

interface TextRule {
  /** Most characters; a pair of surrogates is one. */
  max: number;
  /** Words for what the text must be. Default: its length. */
  expected?: string;
  pattern?: RegExp;
  description?: string;
}

/** A text of 1 to `max` characters, trimmed, that the database can store. */
export function BoundedText({ max, pattern, description, ...rule }: TextRule) {
  const expected = rule.expected ?? `a text of 1 to ${max.toLocaleString('en')} characters`;
  const words = mustBe(expected);
  const schema = { minLength: 1, maxLength: max, ...compact({ pattern: pattern?.source }) };
  return applyDecorators(
    ApiProperty({ type: 'string', ...schema, ...compact({ description }) }),
    Trimmed(),
    IsString(words),
    CharacterCount({ min: 1, max }, words),
    Rule('isStorable', (value) => typeof value === 'string' && isStorable(value), words),
    ...(pattern === undefined ? [] : [Matches(pattern, words)]),
  );
}

/** A text's length; a pair of surrogates is one character. */
export function CharacterCount(
  { min, max }: { min: number; max: number },
  words: ValidationOptions,
) {
  return applyDecorators(
    Rule('minLength', (value) => lengthOf(value) >= min, words),
    Rule('maxLength', (value) => lengthOf(value) <= max, words),
  );
}

interface NumberRule {
  min: number;
  max: number;
  description?: string;
}

/** A whole number within bounds. */
export function WholeNumber({ min, max, description }: NumberRule) {
  const words = mustBe(`a whole number from ${min} to ${max}`);
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum: min, maximum: max, ...compact({ description }) }),
    IsInt(words),
    Min(min, words),
    Max(max, words),
  );
}

/** True or false. */
export function Flag(description?: string) {
  return applyDecorators(
    ApiProperty({ type: 'boolean', ...compact({ description }) }),
    IsBoolean(mustBe('true or false')),
  );
}

/** A field that is one of some texts. */
export function OneOf(
  values: readonly string[],
  about: { description?: string; default?: string } = {},
) {
  const names = values.map((value) => `'${value}'`).join(' or ');
  return applyDecorators(ApiProperty({ enum: values, ...about }), IsIn(values, mustBe(names)));
}

/** A list of some texts. */
export function ListOf(values: readonly string[], description: string) {
  const expected = `a list of any of ${values.join(', ')}`;
  return applyDecorators(
    ApiProperty({ isArray: true, enum: values, description }),
    IsArray(mustBe(expected)),
    IsIn(values, { each: true, ...mustBe(expected) }),
  );
}

/**
 * A field that may be left out; null is invalid. The schema of a body names no default: generators of
 * types take a field with one for a field that is always there.
 */
export function MayBeAbsent() {
  return applyDecorators(
    ApiProperty({ required: false }),
    ValidateIf((_request: unknown, value: unknown) => value !== undefined),
  );
}

/** A field that may be left out, also by null. */
export function MayBeNull() {
  return applyDecorators(
    ApiProperty({ required: false }),
    Transform(({ value }: { value: unknown }) => value ?? undefined),
    IsOptional(),
  );
}

/** A field that may be left out, also by an empty text, as queries do. */
export function EmptyIsAbsent() {
  return applyDecorators(
    ApiProperty({ required: false }),
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value)),
    IsOptional(),
  );
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? Array.from(value).length : 0;
}

/** A text without the blanks around it. */
export function Trimmed() {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim() : value,
  );
}

/** A rule of our own. @param name the rule's, for the words of a wire. */
export function Rule(
  name: string,
  validate: (value: unknown) => boolean,
  words: ValidationOptions = {},
): PropertyDecorator {
  // The validator drops the words of a rule without a message.
  return ValidateBy({ name, validator: { validate, defaultMessage: () => name } }, words);
}

/** An object of a class; fields that the class does not have are refused. */
export function Nested(type: Class, about: { description?: string; example?: object } = {}) {
  const validate = (value: unknown): boolean =>
    Object.keys(value ?? {}).every((name) => fieldsOf(type).includes(name));
  return applyDecorators(
    ApiProperty({ type, ...about }),
    Type(() => type),
    IsObject(mustBe('an object')),
    Rule('knownFields', validate, knownFieldsOf(type)),
    ValidateNested(),
  );
}

/** The id of an object of the kind in a query; an empty one is none. @param kind the id's prefix. */
export function OptionalId(kind: string, description: string, words: ValidationOptions = {}) {
  const validate = (value: unknown): boolean => typeof value === 'string' && isId(kind, value);
  return applyDecorators(
    ApiProperty({ type: String, description }),
    EmptyIsAbsent(),
    Rule('isId', validate, words),
  );
}
