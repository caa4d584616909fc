import { RequestForm } from '../../http/request.pipe.js';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome } from '../../events/turn-event.js';
import { EmptyIsAbsent, OneOf, OptionalId } from '../../http/fields/field-rules.decorator.js';
import { NumberFilter, TextFilter, TimeFilter } from '../../http/fields/filters.decorator.js';
import { nullableTime, nullableWhole, time, whole } from '../../http/fields/json-schemas.js';
import { PageDto, PageQueryDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { LogPageQueryDto } from '../history/history.dto.js';
import {
  sessionOrigins,
  turnStatuses,
  type SessionOrigin,
  type TurnStatus,
} from '../../storage/shapes/stored-turn.js';

/** `unended` stands for all statuses of turns that have not ended. */
const statusFilters = ['unended', ...turnStatuses] as const;

/** A choice in a query that may be left out. */
function Choice(values: readonly string[], description: string) {
  return applyDecorators(EmptyIsAbsent(), OneOf(values, { description }));
}

/** Which turns a list has. Every filter may be left out; several must all apply. */
@RequestForm({ closed: 'The query' })
export class TurnListQueryDto extends PageQueryDto {
  @OptionalId('turn', 'The one turn of this id.') id?: string | undefined;

  @OptionalId('sess', 'Turns of this session.') session?: string | undefined;

  @Choice(statusFilters, 'Turns of this status; `unended`: those that have not ended.')
  status?: (typeof statusFilters)[number];

  @TextFilter(
    'Turns that failed with this error or for this reason: `SDK_FAILURE`, `SPEND_LIMIT`.',
    64,
  )
  error?: string | undefined;

  @TextFilter('Turns of this agent.', 200) agent?: string | undefined;

  @TextFilter('Turns of this model.', 200) model?: string | undefined;

  @TextFilter('Turns of this principal.', 200) principal?: string | undefined;

  @Choice(sessionOrigins, 'Turns of sessions that this wire made.') wire?: SessionOrigin;

  @TextFilter('Turns with a call of this tool.', 200) tool?: string | undefined;

  @NumberFilter('Turns that took at least so many milliseconds from acceptance to end.')
  minDurationMs?: number | undefined;

  @NumberFilter('Turns that cost at least so many US dollars.') minCostUsd?: number | undefined;

  @TimeFilter('Accepted at this time or later.') since?: string | undefined;

  @TimeFilter('Accepted before this time.') until?: string | undefined;
}

/** What a list of turns is filtered by; every field may be left out. */
export interface TurnFilters {
  id?: string;
  session?: string;
  /** A status, or `unended`. */
  status?: string;
  error?: string;
  agent?: string;
  model?: string;
  principal?: string;
  wire?: string;
  tool?: string;
  minDurationMs?: number | string;
  minCostUsd?: number | string;
  /** Times in UTC, ISO-8601. */
  since?: string;
  until?: string;
  /** Entries of the page, up to 200. Default: 50. */
  limit?: number | string | undefined;
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/** Why a turn failed. */
export class TurnFaultDto {
  /** The code of the error. */
  type!: string;

  /** What the model's provider refused; null: something else failed. */
  reason!: string | null;

  /** The error's own words. Null in a list of everybody’s turns: they may quote what somebody wrote. */
  message!: string | null;

  /** What to do about it. */
  action!: string;

  /** Whether the same turn, sent again, may succeed. */
  retryable!: boolean;
}

/** A turn in a list of turns: what it did and cost, without what was said. */
export class TurnSummaryDto {
  turnId!: string;

  sessionId!: string;

  principal!: string;

  /** The wire that made the session. */
  @ApiProperty({ enum: sessionOrigins }) wire!: SessionOrigin;

  /** The beginning of the message. Absent: it has no text, or the turn is somebody else’s. */
  title?: string;

  agent!: string;

  /** The version of the agent’s file: the beginning of its SHA-256. Null: it is no file. */
  agentVersion!: string | null;

  model!: string;

  @ApiProperty({ enum: turnStatuses }) status!: TurnStatus;

  /** Null until the turn ends. */
  @ApiProperty({ enum: turnOutcomes, nullable: true }) outcome!: TurnOutcome | null;

  /** A stop reason, the name of a limit, who interrupted, or the type of an error; null until the turn ends. */
  reason!: string | null;

  /** Null: it did not fail. */
  error!: TurnFaultDto | null;

  /** Workers that have had the turn; 0: none yet. */
  @ApiProperty(whole) attempt!: number;

  /** Model calls that are stored. */
  @ApiProperty(whole) steps!: number;

  /** Tool calls. */
  @ApiProperty(whole) toolCalls!: number;

  /** Names of the tools that were called, each once. */
  tools!: string[];

  /** Null until the turn ends. */
  usage!: UsageDto | null;

  @ApiProperty(time) createdAt!: string;

  @ApiProperty(nullableTime) startedAt!: string | null;

  @ApiProperty(nullableTime) endedAt!: string | null;

  /** Milliseconds from acceptance to end; null until the turn ends. */
  @ApiProperty(nullableWhole) durationMs!: number | null;

  /** Milliseconds from acceptance to the first event of a reply; null: none is stored. */
  @ApiProperty(nullableWhole) firstTokenMs!: number | null;

  /** Milliseconds that it waited for answers of people. */
  @ApiProperty(whole) waitedMs!: number;

  /** Of a subagent’s turn. */
  parentTurnId?: string;

  /** The turn that took its place. */
  supersededBy?: string;
}

export class TurnListDto extends PageDto {
  /** The newest first. */
  turns!: TurnSummaryDto[];
}

export class OneTurnSummaryDto {
  turn!: TurnSummaryDto;
}

/** A page of anybody’s events. */
export class ForeignLogQueryDto extends LogPageQueryDto {
  /** Whether events have what was said, which needs the scope `texts` and is noted in the audit log. Default: false. */
  @ApiProperty({ type: Boolean, required: false })
  @EmptyIsAbsent()
  @OneOf(['true', 'false'])
  texts?: 'true' | 'false';
}
