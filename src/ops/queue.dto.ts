import { ApiProperty } from '@nestjs/swagger';
import { nullableWhole, whole } from '../http/fields/json-schemas.js';
import type { QueuedTurnView, QueueView, SlotsView, StatusView } from './queue-service.js';

const time = { type: String, format: 'date-time' } as const;

export class QueuedTurnDto implements QueuedTurnView {
  turnId!: string;
  sessionId!: string;
  principal!: string;
  /** The beginning of its message, on one line of at most 80 characters. */
  message?: string;
  agent!: string | null;
  projectRoot!: string;
  @ApiProperty(whole) attempt!: number;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty({ ...time, nullable: true }) startedAt!: string | null;
  @ApiProperty({ ...time, nullable: true }) waitingSince!: string | null;
  /** Whether the turn has a slot on a worker. */
  placed!: boolean;
  /** The parent, for a subagent's turn. */
  parentTurnId?: string;
}

export class StatusDto implements StatusView {
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

export class SlotsDto implements SlotsView {
  /** Worker processes; null where the queue does not answer. */
  @ApiProperty(nullableWhole) workers!: number | null;
  /** Slots of a worker. */
  @ApiProperty(whole) each!: number;
  /** Slots in use. */
  @ApiProperty(whole) used!: number;
}

export class QueueDto implements QueueView {
  @ApiProperty({ enum: ['embedded', 'distributed'] }) backEnd!: QueueView['backEnd'];
  statuses!: StatusesDto;
  /** Tokens in the queue, each of which says that some turn waits; null where it does not answer. */
  @ApiProperty(nullableWhole) wakeUps!: number | null;
  places!: SlotsDto;
}
