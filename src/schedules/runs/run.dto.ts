import { ApiProperty } from '@nestjs/swagger';
import { nullableText, time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page.dto.js';
import { runOutcomes, type RunError, type RunOutcome } from '../../storage/schedule-schema.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { RunView } from './view-run.js';

export class RunErrorDto implements RunError {
  @ApiProperty({ type: String, description: 'A code of the table of errors.' })
  type!: RunError['type'];

  @ApiProperty({ type: String })
  message!: string;
}

export class MissedDto {
  @ApiProperty({ type: 'integer', description: 'Number of missed slots; 1000: or more.' })
  count!: number;

  @ApiProperty({ ...time, description: 'The slot after the last that was missed.' })
  until!: string;
}

export class RunDto implements RunView {
  @ApiProperty({ type: String, example: 'run_019ab1c2-3c0a-7f0e-9a53-6a3b7c0f2d11' })
  id!: string;

  @ApiProperty({ enum: ['slot', 'trigger'] })
  cause!: RunView['cause'];

  @ApiProperty({ ...time, description: 'The time it was for. Of missed slots: the first.' })
  slot!: string;

  @ApiProperty({
    enum: runOutcomes,
    description:
      '`submitted`: there is a turn; `skipped`: a turn before it had not ended; `refused`: `error` says why; `missed`: nothing could run at the time.',
  })
  outcome!: RunOutcome;

  @ApiProperty(nullableText)
  turnId!: string | null;

  @ApiProperty(nullableText)
  sessionId!: string | null;

  @ApiProperty({
    enum: turnStatuses,
    nullable: true,
    description: 'Null: there is no turn, or it was deleted.',
  })
  turnStatus!: TurnStatus | null;

  @ApiProperty({ type: RunErrorDto, nullable: true })
  error!: RunErrorDto | null;

  @ApiProperty({ type: MissedDto, nullable: true })
  missed!: MissedDto | null;

  @ApiProperty(time)
  at!: string;
}

export class OneRunDto {
  @ApiProperty({ type: RunDto })
  run!: RunDto;
}

export class RunPageDto extends PageDto {
  @ApiProperty({ type: [RunDto], description: 'The newest first.' })
  runs!: RunDto[];
}
