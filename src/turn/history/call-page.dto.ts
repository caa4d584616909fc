import { ApiProperty } from '@nestjs/swagger';
import {
  anyJson,
  nullableTime,
  nullableWhole,
  time,
  whole,
} from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { toolStatuses, type ToolStatus } from '../../storage/shapes/stored-step.js';
import type { RetryClass } from '../../tools/tool.js';

/** A call as the ledger has it. */
export class CallDto {
  callId!: string;

  @ApiProperty(whole)
  step!: number;

  /** The attempt whose worker claimed the call. */
  @ApiProperty(whole)
  attempt!: number;

  /** @example read */
  name!: string;

  @ApiProperty(anyJson)
  input!: unknown;

  /** `claimed`: it may be running, or its worker died; every other status is final. */
  @ApiProperty({ enum: ['claimed', ...toolStatuses] })
  status!: 'claimed' | ToolStatus;

  /** Result as the model has it; null while it is not known. */
  output!: string | null;

  @ApiProperty(nullableWhole)
  durationMs!: number | null;

  /** Whether the call is repeated when its outcome is lost; null: the server has no such tool. */
  @ApiProperty({ enum: ['safe', 'idempotent', 'never'], nullable: true })
  retry!: RetryClass | null;

  @ApiProperty(time)
  claimedAt!: string;

  @ApiProperty(nullableTime)
  endedAt!: string | null;
}

export class CallPageDto extends PageDto {
  /** In the order of the steps. */
  calls!: CallDto[];
}
