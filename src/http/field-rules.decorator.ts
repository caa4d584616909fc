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

/** The contract's wordings. */
export const wrong = { message: "Missing or invalid '$property'" };
const noTexts = { message: "Field '$property' must be an array of strings" };

/** No path and no column of text can hold it. */
const NUL = '\u0000';

/** A request's text field that must be there and not blank. Trimmed. */
export function RequiredText(description: string, example?: string) {
  return applyDecorators(
    ApiProperty({ type: String, description, ...(example === undefined ? {} : { example }) }),
    Transform(({ value }: { value: unknown }) => trimmed(value)),
    IsString(wrong),
    IsNotEmpty(wrong),
    NotContains(NUL, wrong),
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
    Transform(({ value }: { value: unknown }) => {
      const text = trimmed(value);
      return text === '' ? undefined : text;
    }),
    IsOptional(),
    IsString(wrong),
    NotContains(NUL, wrong),
  );
}

/** A list of texts that may be absent; null is not a list. */
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
