import { compact } from '../platform/compact.js';
import { says } from './field-words.js';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsArray,
  IsNotEmpty,
  IsOptional,
  IsString,
  NotContains,
  ValidateIf,
} from 'class-validator';

const noTexts = says("Field '$field' must be an array of strings");

/** NUL, which neither a path nor a text column can contain. */
const NUL = '\u0000';

/** A required text field, trimmed and not blank. */
export function RequiredText(description: string, example?: string) {
  return applyDecorators(
    ApiProperty({ type: String, description, ...compact({ example }) }),
    Transform(({ value }: { value: unknown }) => trimmed(value)),
    IsString(),
    IsNotEmpty(),
    NotContains(NUL),
  );
}

/** An optional text field, trimmed; blank counts as absent. */
export function OptionalText(description: string, example?: string) {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description, ...compact({ example }) }),
    Transform(({ value }: { value: unknown }) => {
      const text = trimmed(value);
      return text === '' ? undefined : text;
    }),
    IsOptional(),
    IsString(),
    NotContains(NUL),
  );
}

/** An optional list of texts; null is invalid. */
export function OptionalTexts(description: string) {
  return applyDecorators(
    ApiPropertyOptional({ type: [String], description }),
    ValidateIf((_body: unknown, value: unknown) => value !== undefined),
    IsArray(noTexts),
    IsString({ each: true, ...noTexts }),
  );
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
