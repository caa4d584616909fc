import { ApiProperty } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome, type TurnEvent } from '../../events/turn-event.js';
import {
  anyJson,
  listOf,
  nullableTime,
  nullableWhole,
  time,
  whole,
} from '../../http/fields/json-schemas.js';
import { PageDto, PageLimit, PageToken, PageQueryDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import { OutputFileDto } from './messages.dto.js';
import { TurnBranchDto } from '../turn-record.dto.js';
import { toolStatuses, type ToolStatus } from '../../storage/shapes/stored-step.js';
import type { RetryClass } from '../../tools/tool.js';
import { OneOf } from '../../http/fields/field-rules.decorator.js';

/** Whether a list has turns that others took the place of. */
const supersededChoices = ['hide', 'show'] as const;
export type SupersededChoice = (typeof supersededChoices)[number];

/** A turn in a list. */
export class ListedTurnDto extends TurnBranchDto {
  turnId!: string;

  @ApiProperty({ enum: turnStatuses }) status!: TurnStatus;

  /** Workers that have had the turn; 0: none yet. */
  @ApiProperty(whole) attempt!: number;

  model!: string;

  persona!: string;

  @ApiProperty(time) createdAt!: string;

  @ApiProperty(nullableTime) startedAt!: string | null;

  @ApiProperty(nullableTime) endedAt!: string | null;

  /** Null until the turn ends. */
  usage!: UsageDto | null;

  /** Null until the turn ends. */
  @ApiProperty({ enum: turnOutcomes, nullable: true }) outcome!: TurnOutcome | null;

  /** A stop reason, the name of a limit, who interrupted, or the type of an error; null until the turn ends. */
  reason!: string | null;
}

export class TurnPageDto extends PageDto {
  /** The newest first. */
  turns!: ListedTurnDto[];
}

/** What an MCP server asked the model in a call. */
export class SamplingDto {
  @ApiProperty(whole) modelCalls!: number;

  /** Part of the turn's usage. Of a model call whose worker died it is all that was reserved. */
  usage!: UsageDto;
}

/** A call as the ledger has it. */
export class CallDto {
  callId!: string;

  @ApiProperty(whole) step!: number;

  /** The attempt whose worker claimed the call. */
  @ApiProperty(whole) attempt!: number;

  /** @example read */
  name!: string;

  @ApiProperty(anyJson) input!: unknown;

  /** `claimed`: it may be running, or its worker died; every other status is final. */
  @ApiProperty({ enum: ['claimed', ...toolStatuses] }) status!: 'claimed' | ToolStatus;

  /** Result as the model has it; null while it is not known. */
  output!: string | null;

  /** Files of the result: those that the model is shown, and others for people alone. Absent: none. */
  files?: OutputFileDto[];

  @ApiProperty(nullableWhole) durationMs!: number | null;

  /** Absent: its server has not asked the model. */
  sampling?: SamplingDto;

  /** Whether the call is repeated when its outcome is lost; null: the server has no such tool. */
  @ApiProperty({ enum: ['safe', 'idempotent', 'never'], nullable: true })
  retry!: RetryClass | null;

  @ApiProperty(time) claimedAt!: string;

  @ApiProperty(nullableTime) endedAt!: string | null;
}

export class CallPageDto extends PageDto {
  /** In the order of the steps. */
  calls!: CallDto[];
}

export class LogPageDto extends PageDto {
  /** `turn.ended` is the last event of a turn. */
  @ApiProperty(listOf('TurnEvent')) events!: TurnEvent[];
}

export class LogPageQueryDto {
  @PageToken('`nextCursor` of the page before, or `<turn id>:<attempt>.<seq>` of any event.')
  cursor?: string | undefined;

  @PageLimit({ standard: 200, most: 1_000 }) limit = 200;
}

/** A page of a session's turns or messages. */
export class LineQueryDto extends PageQueryDto {
  /** Whether the list has turns that others took the place of. */
  @OneOf(supersededChoices, { default: 'hide' }) superseded: SupersededChoice = 'hide';
}

export class CompactReportDto {
  compacted!: boolean;

  /** Absent where there was nothing to compact. */
  summary?: string;

  /** The last turn that the summary stands for. */
  throughTurnId?: string;
}
