import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import {
  BoundedText,
  jsonObject,
  MayBeAbsent,
  mustBe,
  nullableTime,
  OneOf,
  OptionalText,
  PageDto,
  PageLimit,
  RequestForm,
  time,
  whole,
  WholeNumber,
} from '../../http/face.js';
import { TurnOptionsDto } from '../../options/face.js';
import {
  overlaps,
  pauseReasons,
  runOutcomes,
  type Overlap,
  type PauseReason,
  type RunError,
  type RunOutcome,
  type scheduleRuns,
  type schedules,
} from '../../storage/automation-schema.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';

const DAY_MS = 86_400_000;
const MAX_CRON_CHARS = 200;
const MAX_ZONE_CHARS = 64;

const keyForm = /^[A-Za-z0-9][\w.-]{0,99}$/;

@RequestForm({ namesParam: true })
export class ScheduleKeyDto {
  /** Your name of the schedule. */
  @BoundedText({
    max: 100,
    pattern: keyForm,
    expected: "1 to 100 letters, digits, '_', '-' and '.', the first a letter or a digit",
  })
  key!: string;
}

const cronWords = "a text of five fields, as '0 9 * * 1-5'";

function Cron() {
  return BoundedText({
    max: MAX_CRON_CHARS,
    expected: cronWords,
  });
}

function Zone() {
  return BoundedText({
    max: MAX_ZONE_CHARS,
    expected: "a time zone, as 'Europe/Berlin'",
  });
}

function SessionOrNew() {
  return BoundedText({
    max: 100,
    expected: "'new' or the id of a session",
  });
}

function Message() {
  return applyDecorators(ApiProperty({ type: String, minLength: 1 }), IsString(mustBe('a text')));
}

function Options() {
  return applyDecorators(
    ApiPropertyOptional({ type: TurnOptionsDto }),
    MayBeAbsent(),
    IsObject(mustBe('an object')),
  );
}

function OverlapField() {
  return applyDecorators(MayBeAbsent(), OneOf(overlaps));
}

function CatchUp() {
  return applyDecorators(MayBeAbsent(), WholeNumber({ min: 0, max: DAY_MS }));
}

@RequestForm({ closed: 'A schedule', namesParam: true })
export class ScheduleDto {
  /**
   * Minute, hour, day of the month, month, day of the week: `0 9 * * 1-5`. Either day counts where both are given.
   */
  @Cron() cron!: string;
  /** Time zone of the IANA database whose clock the schedule follows. */
  @Zone() tz!: string;
  /** `new`: each turn has a session of its own. Else the id of the session of all. */
  @SessionOrNew() session!: string;

  /**
   * Persona of new sessions. Default: WORKING_ITEMS.
   *
   * @example WORKING_ITEMS
   */
  @OptionalText() agent?: string;

  /** Absolute path of the folder of new sessions. Default: your own folder. */
  @OptionalText() projectRoot?: string;
  /** The message of each turn. */
  @Message() message!: string;
  /** Options of each turn, but for `onBusy` and `onDisconnect`. */
  @Options() opts?: Record<string, unknown>;
  /**
   * What becomes of a fire time while a turn before it has not ended. `skip`, the default: nothing runs. `queueOne`: one turn
   * waits in the session. `allow`: it is submitted; in a session, it waits behind all others.
   */
  @OverlapField() overlap?: Overlap;
  /** Milliseconds for which a fire time still has its run when nothing could run at it. Default: 600000. */
  @CatchUp() catchUpMs?: number;
}

@RequestForm({ closed: 'A schedule', namesParam: true })
export class ScheduleChangesDto {
  /**
   * Minute, hour, day of the month, month, day of the week: `0 9 * * 1-5`. Either day counts where both are given.
   */
  @MayBeAbsent()
  @Cron()
  cron?: string;

  /** Time zone of the IANA database whose clock the schedule follows. */
  @MayBeAbsent()
  @Zone()
  tz?: string;

  /** `new`: each turn has a session of its own. Else the id of the session of all. */
  @MayBeAbsent()
  @SessionOrNew()
  session?: string;

  /**
   * Persona of new sessions.
   *
   * @example WORKING_ITEMS
   */
  @OptionalText() agent?: string;

  /** Absolute path of the folder of new sessions. */
  @OptionalText() projectRoot?: string;

  /** The message of each turn. */
  @MayBeAbsent()
  @Message()
  message?: string;

  /** Options of each turn, but for `onBusy` and `onDisconnect`. */
  @Options() opts?: Record<string, unknown>;
  /**
   * What becomes of a fire time while a turn before it has not ended. `skip`, the default: nothing runs. `queueOne`: one turn
   * waits in the session. `allow`: it is submitted; in a session, it waits behind all others.
   */
  @OverlapField() overlap?: Overlap;
  /** Milliseconds for which a fire time still has its run when nothing could run at it. Default: 600000. */
  @CatchUp() catchUpMs?: number;
}

/** A schedule as its principal sees it. */
export class ScheduleViewDto {
  /** @example sched_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11 */
  id!: string;
  /** @example weekly-report */
  key!: string;
  @ApiProperty({ type: String, example: '0 9 * * 1' }) cron!: string;
  /** @example Europe/Berlin */
  tz!: string;
  /** `new`, or the id of the session of all its turns. */
  session!: string;
  /** Null: the default, or the session has its own. */
  agent!: string | null;
  /** Null: your folder, or the session has its own. */
  projectRoot!: string | null;
  message!: string;
  @ApiProperty(jsonObject) opts!: Record<string, unknown>;
  @ApiProperty({ enum: overlaps }) overlap!: Overlap;
  @ApiProperty(whole) catchUpMs!: number;
  /** The next fire time. Null: it is paused. */
  @ApiProperty(nullableTime) nextAt!: string | null;
  /** Null: it is not paused. */
  @ApiProperty(nullableTime) pausedAt!: string | null;

  /**
   * `requested`: by you; `failures`: five runs in a row failed; `key`: the API key that it acts with is revoked or
   * expired; `grant`: you sent no token for 90 days, or your access or role ended; `times`: the server does not understand its expression or its zone any more.
   */
  @ApiProperty({ enum: pauseReasons, nullable: true }) pauseReason!: PauseReason | null;

  @ApiProperty(time) createdAt!: string;
  @ApiProperty(time) updatedAt!: string;
}

export class OneScheduleDto {
  schedule!: ScheduleViewDto;
}

export class ScheduleListDto {
  /** By their keys. */
  schedules!: ScheduleViewDto[];
}

export class UpcomingSlotDto {
  @ApiProperty(time) at!: string;

  /**
   * What the clock of the zone shows then.
   *
   * @example 2026-11-30T09:00
   */
  local!: string;
}

export class UpcomingQueryDto {
  @PageLimit({ standard: 10, most: 100 }) count = 10;
}

export class UpcomingDto {
  upcoming!: UpcomingSlotDto[];
}

export class RunErrorDto {
  /** A code of the table of errors. */
  @ApiProperty({ type: String }) type!: RunError['type'];
  message!: string;
}

export class MissedDto {
  /** Number of missed fire times; 1000: or more. */
  @ApiProperty(whole) count!: number;
  /** The fire time after the last that was missed. */
  @ApiProperty(time) until!: string;
}

/** A run: what came of a fire time, or of a trigger. */
export class RunDto {
  /** @example run_019ab1c2-3c0a-7f0e-9a53-6a3b7c0f2d11 */
  id!: string;
  @ApiProperty({ enum: ['slot', 'trigger'] }) cause!: 'slot' | 'trigger';
  /** The fire time that it was for. Of missed ones: the first. */
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

export type ScheduleRow = typeof schedules.$inferSelect;
export type RunRow = typeof scheduleRuns.$inferSelect;

export function viewSchedule(schedule: ScheduleRow): ScheduleViewDto {
  const { id, key, cron, tz, sessionId, agent, projectRoot, message, opts } = schedule;
  const { overlap, catchUpMs, pausedAt, pauseReason, nextAt } = schedule;
  return {
    id,
    key,
    cron,
    tz,
    session: sessionId ?? 'new',
    agent,
    projectRoot,
    message,
    opts: opts ?? {},
    overlap,
    catchUpMs,
    nextAt: pausedAt === null ? nextAt.toISOString() : null,
    pausedAt: pausedAt?.toISOString() ?? null,
    pauseReason,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}

/** A run, with the status of its turn. */
export interface RunWithStatus {
  run: RunRow;
  status: TurnStatus | null;
}

export function viewRun({ run, status }: RunWithStatus): RunDto {
  const { id, cause, outcome, turnId, sessionId, error, missed, missedUntil } = run;
  return {
    id,
    cause,
    slot: run.fireAt.toISOString(),
    outcome,
    turnId,
    sessionId,
    turnStatus: status,
    error,
    missed:
      missed === null || missedUntil === null
        ? null
        : { count: missed, until: missedUntil.toISOString() },
    at: run.createdAt.toISOString(),
  };
}
