import { ApiProperty } from '@nestjs/swagger';
import { nullableTime, nullableWhole, time, whole } from '../http/fields/json-schemas.js';

export class QueuedTurnDto {
  turnId!: string;
  sessionId!: string;
  principal!: string;
  /** The beginning of its message, on one line of at most 80 characters. */
  message?: string;
  agent!: string | null;
  projectRoot!: string;
  @ApiProperty(whole) attempt!: number;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty(nullableTime) startedAt!: string | null;
  @ApiProperty(nullableTime) waitingSince!: string | null;
  /** Whether the turn has a slot on a worker. */
  placed!: boolean;
  /** The parent, for a subagent's turn. */
  parentTurnId?: string;
}

export class StatusDto {
  @ApiProperty(whole) depth!: number;
  /** At most 25, the oldest first. */
  oldest!: QueuedTurnDto[];
  /** At most 25 others, the newest first. */
  newest!: QueuedTurnDto[];
}

export class StatusesDto {
  held!: StatusDto;
  queued!: StatusDto;
  running!: StatusDto;
  waiting!: StatusDto;
}

export class SlotsDto {
  /** Worker processes; null where the queue does not answer. */
  @ApiProperty(nullableWhole) workers!: number | null;
  /** Slots of a worker. */
  @ApiProperty(whole) each!: number;
  /** Slots in use. */
  @ApiProperty(whole) used!: number;
}

export class QueueDto {
  @ApiProperty({ enum: ['embedded', 'distributed'] }) backEnd!: 'embedded' | 'distributed';
  statuses!: StatusesDto;
  /** Tokens in the queue, each of which says that some turn waits; null where it does not answer. */
  @ApiProperty(nullableWhole) wakeUps!: number | null;
  places!: SlotsDto;
}
