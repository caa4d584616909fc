import { ApiProperty } from '@nestjs/swagger';
import { time, whole } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page.dto.js';
import { runOutcomes, type RunError, type RunOutcome } from '../../storage/automation-schema.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { RunView } from './view-run.js';

export class RunErrorDto implements RunError {
  /** A code of the table of errors. */
  @ApiProperty({ type: String }) type!: RunError['type'];
  message!: string;
}

export class MissedDto {
  /** Number of missed slots; 1000: or more. */
  @ApiProperty(whole) count!: number;
  /** The slot after the last that was missed. */
  @ApiProperty(time) until!: string;
}

export class RunDto implements RunView {
  /** @example run_019ab1c2-3c0a-7f0e-9a53-6a3b7c0f2d11 */
  id!: string;
  @ApiProperty({ enum: ['slot', 'trigger'] }) cause!: RunView['cause'];
  /** The time it was for. Of missed slots: the first. */
  @ApiProperty(time) slot!: string;

  /**
   * `submitted`: there is a turn; `skipped`: a turn before it had not ended; `refused`: `error` says why; `missed`:
   * nothing could run at the time.
   */
  @ApiProperty({ enum: runOutcomes }) outcome!: RunOutcome;

  turnId!: string | null;
  sessionId!: string | null;
  /** Null: there is no turn, or it was deleted. */
  @ApiProperty({ enum: turnStatuses, nullable: true }) turnStatus!: TurnStatus | null;
  error!: RunErrorDto | null;
  missed!: MissedDto | null;
  @ApiProperty(time) at!: string;
}

export class OneRunDto {
  run!: RunDto;
}

export class RunPageDto extends PageDto {
  /** The newest first. */
  runs!: RunDto[];
}
