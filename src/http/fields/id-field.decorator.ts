import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ValidationOptions } from 'class-validator';
import { isId } from '../../platform/ids.js';
import { EmptyIsAbsent } from './field-rules.decorator.js';
import { Rule } from './rule.decorator.js';

/** The id of an object of the kind in a query; an empty one is none. @param kind the id's prefix. */
export function OptionalId(kind: string, description: string, words: ValidationOptions = {}) {
  const validate = (value: unknown): boolean => typeof value === 'string' && isId(kind, value);
  return applyDecorators(
    ApiProperty({ type: String, description }),
    EmptyIsAbsent(),
    Rule('isId', validate, words),
  );
}
