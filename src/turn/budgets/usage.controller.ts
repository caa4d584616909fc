import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { UsageService } from './usage-service.js';
import { DayUsageDto } from './usage.dto.js';

@ApiTags('usage')
@Controller('api/harness/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @Unowned('it is the caller’s own')
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'What the caller has used of its limits today (UTC)',
  })
  @ApiOkResponse({ type: DayUsageDto })
  today(@Caller() caller: Principal) {
    return this.usage.today(caller);
  }
}
