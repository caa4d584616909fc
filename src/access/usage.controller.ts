import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { forbiddenScope } from './access-errors.js';
import { Caller } from './caller.decorator.js';
import { Unowned } from './owned.decorator.js';
import type { Principal } from './principal.js';
import { UsageService } from '../governance/budgets/usage-service.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { DayUsageDto, UsageDaysDto, UsageDaysQueryDto } from './usage.dto.js';

@ApiTags('usage')
@Controller('api/harness/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /** What the caller has used of its limits today (UTC) */
  @Get()
  @Unowned('it is the caller’s own')
  @ApiOkResponse({ type: DayUsageDto })
  getUsage(@Caller() caller: Principal) {
    return this.usage.today(caller.id, caller.limits);
  }

  /** Turns, tokens and cost of the last 30 days (UTC), by principal and model */
  @Get('days')
  @Unowned('it is the caller’s own; everybody’s is for the scope admin')
  @ApiErrors('INVALID_REQUEST')
  async listUsageDays(
    @Caller() caller: Principal,
    @Query() { of = 'own' }: UsageDaysQueryDto,
  ): Promise<UsageDaysDto> {
    const { id, credential, scopes } = caller;
    if (of === 'all' && credential.kind !== 'none' && !scopes.includes('admin')) {
      throw forbiddenScope('admin', scopes);
    }
    return { days: await this.usage.days(of === 'own' ? id : undefined) };
  }
}
