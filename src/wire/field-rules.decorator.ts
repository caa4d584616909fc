import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsArray, IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** A request's text field that must be there and not blank. Trimmed. */
export function RequiredText(description: string, example?: string) {
  return applyDecorators(
    ApiProperty({ type: String, description, ...(example === undefined ? {} : { example }) }),
    Transform(({ value }: { value: unknown }) => trimmed(value)),
    IsString(),
    IsNotEmpty(),
  );
}

/** A text field that may be absent; a blank one counts as absent. Trimmed. */
export function OptionalText(description: string, example?: string) {
  return applyDecorators(
    ApiPropertyOptional({
      type: String,
      description,
      ...(example === undefined ? {} : { example }),
    }),
    Transform(({ value }: { value: unknown }) => trimmed(value) || undefined),
    IsOptional(),
    IsString(),
  );
}

/** A list of texts that may be absent. */
export function OptionalTexts(description: string) {
  return applyDecorators(
    ApiPropertyOptional({ type: [String], description }),
    IsOptional(),
    IsArray(),
    IsString({ each: true }),
  );
}

function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
