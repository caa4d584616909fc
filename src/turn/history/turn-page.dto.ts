import { ApiProperty } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome } from '../../events/turn-event.js';
import { nullableTime, time, whole } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnPlaceDto } from '../turn-place.dto.js';

/** A turn in a list. */
export class ListedTurnDto extends TurnPlaceDto {
  turnId!: string;

  @ApiProperty({ enum: turnStatuses })
  status!: TurnStatus;

  /** Workers that have had the turn; 0: none yet. */
  @ApiProperty(whole)
  attempt!: number;

  model!: string;

  persona!: string;

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty(nullableTime)
  startedAt!: string | null;

  @ApiProperty(nullableTime)
  endedAt!: string | null;

  /** Null until the turn ends. */
  @ApiProperty({ type: UsageDto, nullable: true })
  usage!: UsageDto | null;

  /** Null until the turn ends. */
  @ApiProperty({ enum: turnOutcomes, nullable: true })
  outcome!: TurnOutcome | null;

  /** A stop reason, the name of a limit, who interrupted, or the type of an error; null until the turn ends. */
  reason!: string | null;
}

export class TurnPageDto extends PageDto {
  /** The newest first. */
  turns!: ListedTurnDto[];
}
