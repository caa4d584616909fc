import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SessionFieldsDto } from './session.dto.js';

class ListedSessionDto extends SessionFieldsDto {
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

export class SessionPageDto {
  @ApiProperty({ type: [ListedSessionDto], description: 'The one used last first.' })
  sessions!: ListedSessionDto[];

  @ApiPropertyOptional({ type: String, description: 'Absent on the last page.' })
  nextCursor?: string;
}
