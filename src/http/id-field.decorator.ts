import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy, type ValidationOptions } from 'class-validator';
import { isId } from '../platform/ids.js';

/** The id of an object of the kind in a query; an empty one is none. @param kind the id's prefix. */
export function OptionalId(kind: string, description: string, words: ValidationOptions = {}) {
  const validate = (value: unknown): boolean => typeof value === 'string' && isId(kind, value);
  return applyDecorators(
    ApiPropertyOptional({ type: String, description }),
    Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value)),
    IsOptional(),
    ValidateBy({ name: 'isId', validator: { validate } }, words),
  );
}
