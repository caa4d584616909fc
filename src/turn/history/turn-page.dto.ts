import { ApiProperty } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome } from '../../events/turn-event.js';
import { nullableText, nullableTime, time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnPlaceDto } from '../turn-place.dto.js';
import type { ListedTurnView } from './list-turns.js';

export class ListedTurnDto extends TurnPlaceDto implements ListedTurnView {
  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ enum: turnStatuses })
  status!: TurnStatus;

  @ApiProperty({ type: 'integer', description: 'Workers that have had the turn; 0: none yet.' })
  attempt!: number;

  @ApiProperty({ type: String })
  model!: string;

  @ApiProperty({ type: String })
  persona!: string;

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty(nullableTime)
  startedAt!: string | null;

  @ApiProperty(nullableTime)
  endedAt!: string | null;

  @ApiProperty({ type: UsageDto, nullable: true, description: 'Null until the turn ends.' })
  usage!: UsageDto | null;

  @ApiProperty({ enum: turnOutcomes, nullable: true, description: 'Null until the turn ends.' })
  outcome!: TurnOutcome | null;

  @ApiProperty({
    ...nullableText,
    description:
      'A stop reason, the name of a limit, who interrupted, or the type of an error; null until the turn ends.',
  })
  reason!: string | null;
}

export class TurnPageDto extends PageDto {
  @ApiProperty({ type: [ListedTurnDto], description: 'The newest first.' })
  turns!: ListedTurnDto[];
}
