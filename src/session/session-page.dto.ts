import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class ListedSessionDto {
  @ApiProperty({ type: String, example: 'sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11' })
  sessionId!: string;

  @ApiProperty({ type: String })
  projectRoot!: string;

  @ApiProperty({ type: String, example: 'WORKING_ITEMS' })
  persona!: string;

  @ApiProperty({ type: String, example: 'direct' })
  mode!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The beginning of what was said first, on one line of at most 80 characters.',
  })
  title?: string;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it was used last.' })
  updatedAt!: string;

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
