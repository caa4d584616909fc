import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import { fieldsOf } from './class-fields.js';
import { knownFieldsOf, mustBe } from './field-words.js';
import { Rule } from './rule.decorator.js';

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
