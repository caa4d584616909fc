import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { Caller, NeverForPages, type Principal, Unowned } from '../../access/face.js';
import {
  ApiErrors,
  ApiOptionalHeader,
  PageQueryDto,
  parseIdempotencyKey,
} from '../../http/face.js';
import {
  OneRunDto,
  RunPageDto,
  OneScheduleDto,
  ScheduleChangesDto,
  ScheduleDto,
  ScheduleKeyDto,
  ScheduleListDto,
  UpcomingDto,
  UpcomingQueryDto,
} from './schedule.dto.js';
import { onlyAnyMatch } from './schedule-errors.js';
import { ScheduleService } from './schedule-service.js';

/** The reason for `@Unowned`. */
const ownKey = 'a key names one of the caller’s own';

const wrong = [
  'INVALID_REQUEST',
  'FORBIDDEN_CREDENTIAL',
  'FORBIDDEN_AGENT',
  'PERSONA_NOT_FOUND',
  'SESSION_NOT_FOUND',
  'WORKING_ROOT_INACCESSIBLE',
  'WORKING_ROOT_CONFLICT',
] as const;

@ApiTags('schedules')
@Controller('api/harness/schedules')
export class ScheduleController {
  constructor(private readonly schedules: ScheduleService) {}

  /** Your schedules */
  @Get()
  @Unowned('it lists the caller’s own')
  async listSchedules(@Caller() caller: Principal): Promise<ScheduleListDto> {
    return { schedules: await this.schedules.list(caller.id) };
  }

  /** Have turns submitted at times of a zone’s clock; a schedule of that key is replaced */
  @Put(':key')
  @NeverForPages()
  @Unowned(ownKey)
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    schema: { type: 'string', enum: ['*'] },
    description: '`*`: a key that is taken is refused, and its schedule stays as it is.',
  })
  @ApiErrors(...wrong, 'SCHEDULE_LIMIT', 'SCHEDULE_EXISTS')
  async putSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Body() body: ScheduleDto,
    @Headers('if-none-match') noneMatch: string | undefined,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    if (noneMatch !== undefined && noneMatch !== '*') throw onlyAnyMatch();
    const name = { key, isNew: noneMatch === '*' };
    return { schedule: await this.schedules.put(name, body, caller) };
  }

  /** One schedule */
  @Get(':key')
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async getSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.get(key, caller) };
  }

  /** Change a schedule; what is not given stays as it is */
  @Patch(':key')
  @NeverForPages()
  @Unowned(ownKey)
  @ApiErrors(...wrong, 'SCHEDULE_NOT_FOUND')
  async changeSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Body() body: ScheduleChangesDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.change(key, body, caller) };
  }

  /** Delete a schedule with the records of its runs; its turns stay */
  @Delete(':key')
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async deleteSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.delete(key, caller) };
  }

  /** Have nothing submitted for a while */
  @Post(':key/pause')
  @HttpCode(200)
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async pauseSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.pause(key, caller) };
  }

  /** Let a paused schedule go on from now, with the key of this request */
  @Post(':key/resume')
  @NeverForPages()
  @HttpCode(200)
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'FORBIDDEN_CREDENTIAL', 'SCHEDULE_NOT_FOUND')
  async resumeSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.resume(key, caller) };
  }

  /** Submit a turn of a schedule now, beside its times */
  @Post(':key/trigger')
  @HttpCode(202)
  @Unowned(ownKey)
  @ApiOptionalHeader('Idempotency-Key', 'A repeated request with the same key gives the first run.')
  @ApiErrors(...wrong, 'SCHEDULE_NOT_FOUND', 'TURN_IN_PROGRESS', 'QUEUE_FULL')
  async triggerSchedule(
    @Param() { key }: ScheduleKeyDto,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Caller() caller: Principal,
  ): Promise<OneRunDto> {
    return { run: await this.schedules.trigger(key, parseIdempotencyKey(idempotencyKey), caller) };
  }

  /** The runs of a schedule, the newest first */
  @Get(':key/runs')
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  listRuns(
    @Param() { key }: ScheduleKeyDto,
    @Query() query: PageQueryDto,
    @Caller() caller: Principal,
  ): Promise<RunPageDto> {
    return this.schedules.runs(key, query, caller);
  }

  /** The next times of a schedule, also of a paused one */
  @Get(':key/upcoming')
  @Unowned(ownKey)
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async listUpcoming(
    @Param() { key }: ScheduleKeyDto,
    @Query() { count }: UpcomingQueryDto,
    @Caller() caller: Principal,
  ): Promise<UpcomingDto> {
    return { upcoming: await this.schedules.upcoming(key, count, caller) };
  }
}
