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
import {
  ApiAcceptedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { parseIdempotencyKey } from '../../http/request-headers.js';
import { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { OneRunDto, RunPageDto } from '../runs/run.dto.js';
import { onlyAnyMatch } from '../schedule-errors.js';
import { ScheduleService } from './schedule-service.js';
import {
  OneScheduleDto,
  ScheduleChangesDto,
  ScheduleDto,
  ScheduleKeyDto,
  ScheduleListDto,
  UpcomingDto,
  UpcomingQueryDto,
} from './schedule.dto.js';

/** The reason for `@Unowned`. */
const ownKey = 'a key names one of the caller’s own';

const wrong = [
  'INVALID_REQUEST',
  'PERSONA_NOT_FOUND',
  'SESSION_NOT_FOUND',
  'WORKING_ROOT_INACCESSIBLE',
  'WORKING_ROOT_CONFLICT',
] as const;

@ApiTags('schedules')
@Controller('api/harness/schedules')
export class ScheduleController {
  constructor(private readonly schedules: ScheduleService) {}

  @Get()
  @Unowned('it lists the caller’s own')
  @ApiOperation({ operationId: 'listSchedules', summary: 'Your schedules' })
  @ApiOkResponse({ type: ScheduleListDto })
  async list(@Caller() caller: Principal): Promise<ScheduleListDto> {
    return { schedules: await this.schedules.list(caller.id) };
  }

  @Put(':key')
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'putSchedule',
    summary: 'Have turns submitted at times of a zone’s clock; a schedule of that key is replaced',
  })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    schema: { type: 'string', enum: ['*'] },
    description: '`*`: a key that is taken is refused, and its schedule stays as it is.',
  })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors(...wrong, 'SCHEDULE_LIMIT', 'SCHEDULE_EXISTS')
  async put(
    @Param() { key }: ScheduleKeyDto,
    @Body() body: ScheduleDto,
    @Headers('if-none-match') noneMatch: string | undefined,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    if (noneMatch !== undefined && noneMatch !== '*') throw onlyAnyMatch();
    const name = { key, isNew: noneMatch === '*' };
    return { schedule: await this.schedules.put(name, body, caller) };
  }

  @Get(':key')
  @Unowned(ownKey)
  @ApiOperation({ operationId: 'getSchedule', summary: 'One schedule' })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async get(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.get(key, caller) };
  }

  @Patch(':key')
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'changeSchedule',
    summary: 'Change a schedule; what is not given stays as it is',
  })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors(...wrong, 'SCHEDULE_NOT_FOUND')
  async change(
    @Param() { key }: ScheduleKeyDto,
    @Body() body: ScheduleChangesDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.change(key, body, caller) };
  }

  @Delete(':key')
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule with the records of its runs; its turns stay',
  })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async delete(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.delete(key, caller) };
  }

  @Post(':key/pause')
  @HttpCode(200)
  @Unowned(ownKey)
  @ApiOperation({ operationId: 'pauseSchedule', summary: 'Have nothing submitted for a while' })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async pause(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.pause(key, caller) };
  }

  @Post(':key/resume')
  @HttpCode(200)
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'resumeSchedule',
    summary: 'Let a paused schedule go on from now, with the key of this request',
  })
  @ApiOkResponse({ type: OneScheduleDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async resume(
    @Param() { key }: ScheduleKeyDto,
    @Caller() caller: Principal,
  ): Promise<OneScheduleDto> {
    return { schedule: await this.schedules.resume(key, caller) };
  }

  @Post(':key/trigger')
  @HttpCode(202)
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'triggerSchedule',
    summary: 'Submit a turn of a schedule now, beside its times',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeated request with the same key gives the first run.',
  })
  @ApiAcceptedResponse({ type: OneRunDto })
  @ApiErrors(...wrong, 'SCHEDULE_NOT_FOUND', 'TURN_IN_PROGRESS', 'QUEUE_FULL')
  async trigger(
    @Param() { key }: ScheduleKeyDto,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Caller() caller: Principal,
  ): Promise<OneRunDto> {
    return { run: await this.schedules.trigger(key, parseIdempotencyKey(idempotencyKey), caller) };
  }

  @Get(':key/runs')
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'listRuns',
    summary: 'What came of a schedule’s slots, the newest first',
  })
  @ApiOkResponse({ type: RunPageDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  runs(
    @Param() { key }: ScheduleKeyDto,
    @Query() query: PageQueryDto,
    @Caller() caller: Principal,
  ): Promise<RunPageDto> {
    return this.schedules.runs(key, query, caller);
  }

  @Get(':key/upcoming')
  @Unowned(ownKey)
  @ApiOperation({
    operationId: 'listUpcoming',
    summary: 'The next times of a schedule, also of a paused one',
  })
  @ApiOkResponse({ type: UpcomingDto })
  @ApiErrors('INVALID_REQUEST', 'SCHEDULE_NOT_FOUND')
  async upcoming(
    @Param() { key }: ScheduleKeyDto,
    @Query() { count }: UpcomingQueryDto,
    @Caller() caller: Principal,
  ): Promise<UpcomingDto> {
    return { upcoming: await this.schedules.upcoming(key, count, caller) };
  }
}
