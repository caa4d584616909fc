import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { mustBe } from '../fields/field-words.js';

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
