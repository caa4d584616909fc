import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { SessionPageDto, SessionQueryDto } from './session-page.dto.js';
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
  @ApiOkResponse({ type: SessionPageDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Caller() caller: Principal, @Query() page: SessionQueryDto): Promise<SessionPageDto> {
    return this.sessions.page(caller.id, page);
  }
}
