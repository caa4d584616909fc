import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { SessionPageDto } from './session-page.dto.js';
import { SessionService } from './session-service.js';

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class SessionListController {
  constructor(private readonly sessions: SessionService) {}

  @Get()
  @Unowned('it lists the caller’s own')
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'Sessions of all project folders, the one used last first',
  })
  @ApiQuery({ name: 'cursor', required: false, description: '`nextCursor` of the page before.' })
  @ApiQuery({ name: 'limit', required: false, description: '1 to 200. Default: 50.' })
  @ApiOkResponse({ type: SessionPageDto })
  @ApiErrors('INVALID_REQUEST')
  list(
    @Caller() caller: Principal,
    @Query('cursor') cursor?: unknown,
    @Query('limit') limit?: unknown,
  ): Promise<SessionPageDto> {
    return this.sessions.page(caller.id, { cursor, limit });
  }
}
