import { ApiProperty } from '@nestjs/swagger';
import {
  jsonObject,
  listOf,
  nullableTime,
  nullableWhole,
  schemaOf,
  time,
  whole,
} from '../http/fields/json-schemas.js';
import { compact } from '../platform/compact.js';
import { eventsUrl, offerOf, type TurnRow } from './state/turn-row.js';
import type { JsonObject } from '../platform/json.js';
import { UsageDto } from '../http/usage.dto.js';
import type {
  OptionProblem,
  OptionProvenance,
  ResolvedOptions,
  SubagentDecision,
} from '../storage/shapes/stored-options.js';
import { turnStatuses, type TurnFailure, type TurnStatus } from '../storage/shapes/stored-turn.js';

/** The place of a turn among the branches of its conversation. */
export class TurnBranchDto {
  /** The turn whose place it takes. */
  replaces?: string;

  /** The turn that took its place, or that of a turn before it. Absent: it is in the conversation. */
  supersededBy?: string;

  /** The turn of the source that a fork has a copy of. Absent: it ran here. */
  copiedFrom?: string;
}

/** A turn as it is now. Times are ISO-8601. */
export class TurnRecordDto extends TurnBranchDto {
  turnId!: string;

  sessionId!: string;

  /** Of a subagent's turn. */
  parentTurnId?: string;

  /** Of a subagent's turn. */
  parentToolUseId?: string | null;

  @ApiProperty({ enum: turnStatuses }) status!: TurnStatus;

  /** Workers that have had the turn; 0: none yet. */
  @ApiProperty(whole) attempt!: number;

  /** The options in force. */
  @ApiProperty(schemaOf('ResolvedOptions')) options!: ResolvedOptions;

  /** Where each option came from. */
  @ApiProperty(schemaOf('OptionProvenance')) provenance!: OptionProvenance;

  /** Options that were not used. */
  @ApiProperty(listOf('OptionProblem')) optionProblems!: OptionProblem[];

  /** Whether and to whom the turn may delegate. */
  @ApiProperty({ ...schemaOf('SubagentDecision'), nullable: true })
  delegation!: SubagentDecision | null;

  /** Null before the end. */
  usage!: UsageDto | null;

  /** 0: completed, or met a limit; 1: failed; 130: interrupted. */
  @ApiProperty(nullableWhole) exitCode!: number | null;

  endReason!: string | null;

  /** The error of a turn that failed. */
  @ApiProperty({ ...schemaOf('TurnFailure'), nullable: true }) error!: TurnFailure | null;

  /** The object that a turn was to end with, and ended with. */
  @ApiProperty({ ...jsonObject, nullable: true }) output!: JsonObject | null;

  @ApiProperty(nullableTime) cancelRequestedAt!: string | null;

  @ApiProperty(time) createdAt!: string;

  @ApiProperty(nullableTime) startedAt!: string | null;

  @ApiProperty(nullableTime) endedAt!: string | null;

  /** The turn that it is a replay of. */
  replayOf?: string;

  /** Where its events are. */
  eventsUrl!: string;
}

export class OneTurnDto {
  turn!: TurnRecordDto;
}

/** The place of a turn among the lines of its conversation. */
export function viewBranch({
  replaces,
  supersededBy,
  copiedFrom,
}: Pick<TurnRow, 'replaces' | 'supersededBy' | 'copiedFrom'>): TurnBranchDto {
  return compact({
    replaces: replaces ?? undefined,
    supersededBy: supersededBy ?? undefined,
    copiedFrom: copiedFrom ?? undefined,
  });
}

/** A turn as clients see it: `GET /api/harness/turns/:id`. Times are ISO-8601. */
export function viewTurn(turn: TurnRow): TurnRecordDto {
  const { options: resolved, delegation } = offerOf(turn);
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    ...(turn.parentTurnId === null
      ? {}
      : { parentTurnId: turn.parentTurnId, parentToolUseId: turn.parentCallId }),
    status: turn.status,
    attempt: turn.attempt,
    options: resolved.options,
    provenance: resolved.provenance,
    optionProblems: resolved.problems,
    delegation,
    usage: turn.usage,
    exitCode: turn.exitCode,
    endReason: turn.endReason,
    error: turn.failure,
    output: turn.output,
    cancelRequestedAt: turn.cancelRequestedAt?.toISOString() ?? null,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    endedAt: turn.endedAt?.toISOString() ?? null,
    ...viewBranch(turn),
    ...compact({ replayOf: turn.request.replay?.turnId }),
    eventsUrl: eventsUrl(turn.id),
  };
}
