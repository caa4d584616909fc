import { ApiPropertyOptional } from '@nestjs/swagger';

/** The place of a turn among the branches of its conversation. */
export class TurnPlaceDto {
  @ApiPropertyOptional({ type: String, description: 'The turn whose place it takes.' })
  replaces?: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'The turn that took its place, or that of a turn before it. Absent: it is in the conversation.',
  })
  supersededBy?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The turn of the source that a fork has a copy of. Absent: it ran here.',
  })
  copiedFrom?: string;
}
