import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import {
  BoundedText,
  MayBeAbsent,
  OneOf,
  OptionalText,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { jsonObject, nullableTime, time, whole } from '../../http/fields/json-schemas.js';
import { PageLimit } from '../../http/paging/page-query.dto.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { TurnOptionsDto } from '../../options/turn-options.dto.js';
import {
  overlaps,
  pauseReasons,
  type Overlap,
  type PauseReason,
} from '../../storage/automation-schema.js';
import type { UpcomingSlot } from './find-upcoming.js';
import type { ScheduleView } from './view-schedule.js';
import type { WantedSchedule } from './wanted-schedule.js';

const DAY_MS = 86_400_000;
const LONGEST_CRON = 200;
const LONGEST_ZONE = 64;

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
    max: LONGEST_CRON,
    expected: cronWords,
    description:
      'Minute, hour, day of the month, month, day of the week: `0 9 * * 1-5`. Either day counts where both are given.',
  });
}

function Zone() {
  return BoundedText({
    max: LONGEST_ZONE,
    expected: "a time zone, as 'Europe/Berlin'",
    description: 'Time zone of the IANA database whose clock the schedule follows.',
  });
}

function SessionOrNew() {
  return BoundedText({
    max: 100,
    expected: "'new' or the id of a session",
    description: '`new`: each turn has a session of its own. Else the id of the session of all.',
  });
}

function Message() {
  return applyDecorators(
    ApiProperty({ type: String, description: 'The message of each turn.', minLength: 1 }),
    IsString(mustBe('a text')),
  );
}

function Options() {
  return applyDecorators(
    ApiPropertyOptional({
      type: TurnOptionsDto,
      description: 'Options of each turn, but for `onBusy` and `onDisconnect`.',
    }),
    MayBeAbsent(),
    IsObject(mustBe('an object')),
  );
}

function OverlapField() {
  return applyDecorators(
    MayBeAbsent(),
    OneOf(overlaps, {
      description:
        'What becomes of a slot while a turn before it has not ended. `skip`, the default: nothing runs. `queueOne`: one turn waits in the session. `allow`: it is submitted; in a session, it waits behind all others.',
    }),
  );
}

function CatchUp() {
  return applyDecorators(
    MayBeAbsent(),
    WholeNumber({
      min: 0,
      max: DAY_MS,
      description:
        'Milliseconds for which a slot is still run when nothing could run at its time. Default: 600000.',
    }),
  );
}

@RequestForm({ closed: 'A schedule', namesParam: true })
export class ScheduleDto implements WantedSchedule {
  @Cron() cron!: string;
  @Zone() tz!: string;
  @SessionOrNew() session!: string;

  /**
   * Persona of new sessions. Default: WORKING_ITEMS.
   *
   * @example WORKING_ITEMS
   */
  @OptionalText() agent?: string;

  /** Absolute path of the folder of new sessions. Default: your own folder. */
  @OptionalText() projectRoot?: string;
  @Message() message!: string;
  @Options() opts?: Record<string, unknown>;
  @OverlapField() overlap?: Overlap;
  @CatchUp() catchUpMs?: number;
}

@RequestForm({ closed: 'A schedule', namesParam: true })
export class ScheduleChangesDto implements Partial<WantedSchedule> {
  @MayBeAbsent()
  @Cron()
  cron?: string;

  @MayBeAbsent()
  @Zone()
  tz?: string;

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

  @MayBeAbsent()
  @Message()
  message?: string;

  @Options() opts?: Record<string, unknown>;
  @OverlapField() overlap?: Overlap;
  @CatchUp() catchUpMs?: number;
}

export class ScheduleViewDto implements ScheduleView {
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
  /** The next slot. Null: it is paused. */
  @ApiProperty(nullableTime) nextAt!: string | null;
  /** Null: it is not paused. */
  @ApiProperty(nullableTime) pausedAt!: string | null;

  /**
   * `requested`: by you; `failures`: five runs in a row failed; `key`: the API key that it acts with is revoked or
   * expired; `times`: the server does not understand its expression or its zone any more.
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

export class UpcomingSlotDto implements UpcomingSlot {
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
