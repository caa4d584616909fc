import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { invalidRequest, type TypedError } from '../../errors/typed-error.js';
import { mustBe } from '../fields/field-rules.decorator.js';

interface PageSize {
  /** Size of a page whose request names none. */
  standard: number;
  most: number;
}

/** The size of a page, in a query. The class's field has the standard for its initial value. */
export function PageLimit({ standard, most }: PageSize) {
  const range = mustBe(`a whole number from 1 to ${most}`);
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      maximum: most,
      default: standard,
      description: 'Most entries of the page.',
    }),
    Transform(({ value }: { value: unknown }) => toNumber(value)),
    IsInt(range),
    Min(1, range),
    Max(most, range),
  );
}

/** A value of a query, given once, as a number. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

const earlierPage = "the 'nextCursor' of an earlier page of the same list";

/** The page token of a query. */
export function PageToken(description = '`nextCursor` of the page before.') {
  return applyDecorators(
    ApiPropertyOptional({ type: String, description }),
    IsOptional(),
    IsString(mustBe(earlierPage)),
  );
}

/** A page of a list. */
export class PageQueryDto {
  @PageToken() cursor?: string | undefined;
  @PageLimit({ standard: 50, most: 200 }) limit = 50;
}

/** The error for a page token that the list did not give. */
export function badCursor(): TypedError {
  return invalidRequest(`'cursor' must be ${earlierPage}`);
}

/** Where a stream goes on, in place of the header `Last-Event-ID`. */
export class AfterQueryDto {
  /** `Last-Event-ID`, in the URL. */
  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString(mustBe('given once: the id of the last frame received'))
  after?: string;
}

/** The cursor that a stream goes on after: the header's, or the query's; undefined: from its start. */
export function cursorOf(lastEventId: string | undefined, { after }: AfterQueryDto) {
  const cursor = lastEventId ?? after;
  return cursor === '' ? undefined : cursor;
}

/** A page of a list, beside the list itself. */
export class PageDto {
  /** Page token: the `cursor` of the next page. Absent on the last page. */
  nextCursor?: string;
}
