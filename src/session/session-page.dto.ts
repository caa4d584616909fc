import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto } from '../http/paging/page.dto.js';
import { SessionFieldsDto } from './session.dto.js';
import type { ListedSession } from './view-session.js';

class ListedSessionDto extends SessionFieldsDto implements ListedSession {
  @ApiPropertyOptional({
    type: String,
    description: 'The beginning of the first message, on one line of at most 80 characters.',
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
