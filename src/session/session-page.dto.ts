import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MaxLength } from 'class-validator';
import { EmptyIsAbsent, OneOf, OptionalText } from '../http/fields/field-rules.decorator.js';
import { says } from '../http/fields/field-words.js';
import { PageQueryDto, PageDto } from '../http/paging/page-query.dto.js';
import { SessionFieldsDto } from './session.dto.js';
import type { ListedSession } from './view-session.js';

export class ListedSessionDto extends SessionFieldsDto implements ListedSession {
  @ApiPropertyOptional({
    type: String,
    description:
      'As its user called it, or the beginning of the first message, on one line of at most 80 characters.',
  })
  title?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The turn that is queued, runs, or waits for people.',
  })
  activeTurnId?: string;
}

export class SessionPageDto extends PageDto {
  @ApiProperty({ type: [ListedSessionDto], description: 'The one used last first.' })
  sessions!: ListedSessionDto[];
}

const LONGEST_SEARCH = 200;

/** A page of the caller's sessions, of all or of some. */
export class SessionQueryDto extends PageQueryDto {
  @OptionalText('Text of the title, of the first message or of the folder, in capitals or not.')
  @MaxLength(LONGEST_SEARCH, says(`'$field' must have at most ${LONGEST_SEARCH} characters`))
  search?: string;

  @EmptyIsAbsent()
  @OneOf(['show', 'hide', 'only'], {
    description: 'Sessions that schedules made: with the others, not, or alone. Default: show.',
  })
  scheduled?: 'show' | 'hide' | 'only';
}
