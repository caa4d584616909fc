import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { QueuedTurnView, QueueView, SlotsView, StatusView } from './view-queue.js';

const time = { type: String, format: 'date-time' } as const;

export class QueuedTurnDto implements QueuedTurnView {
  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiProperty({ type: String })
  principal!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The beginning of its message, on one line of at most 80 characters.',
  })
  message?: string;

  @ApiProperty({ type: String, nullable: true })
  agent!: string | null;

  @ApiProperty({ type: String })
  projectRoot!: string;

  @ApiProperty({ type: 'integer' })
  attempt!: number;

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty({ ...time, nullable: true })
  startedAt!: string | null;

  @ApiProperty({ ...time, nullable: true })
  waitingSince!: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether the turn has a slot on a worker.' })
  placed!: boolean;

  @ApiPropertyOptional({ type: String, description: "The parent, for a subagent's turn." })
  parentTurnId?: string;
}

export class StatusDto implements StatusView {
  @ApiProperty({ type: 'integer' })
  depth!: number;

  @ApiProperty({ type: [QueuedTurnDto], description: 'At most 25, the oldest first.' })
  oldest!: QueuedTurnDto[];

  @ApiProperty({ type: [QueuedTurnDto], description: 'At most 25 others, the newest first.' })
  newest!: QueuedTurnDto[];
}

export class StatusesDto {
  @ApiProperty({ type: StatusDto })
  held!: StatusDto;

  @ApiProperty({ type: StatusDto })
  queued!: StatusDto;

  @ApiProperty({ type: StatusDto })
  running!: StatusDto;

  @ApiProperty({ type: StatusDto })
  waiting!: StatusDto;
}

export class SlotsDto implements SlotsView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Worker processes; null where the queue does not answer.',
  })
  workers!: number | null;

  @ApiProperty({ type: 'integer', description: 'Slots of a worker.' })
  each!: number;

  @ApiProperty({ type: 'integer', description: 'Slots in use.' })
  used!: number;
}

export class QueueDto implements QueueView {
  @ApiProperty({ enum: ['embedded', 'distributed'] })
  backEnd!: QueueView['backEnd'];

  @ApiProperty({ type: StatusesDto })
  statuses!: StatusesDto;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Tokens in the queue, each of which says that some turn waits; null where it does not answer.',
  })
  wakeUps!: number | null;

  @ApiProperty({ type: SlotsDto })
  places!: SlotsDto;
}
