import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { forbiddenScope } from './access-errors.js';
import { Caller } from './caller.decorator.js';
import { AnyScope, Unowned } from './owned.decorator.js';
import type { Principal } from './principal.js';
import { UsageService, usageFields } from '../governance/budgets/usage-service.js';
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

  /** Turns, tokens and cost of days (UTC), by principal, key, agent and model; deleted turns count */
  @Get('days')
  @AnyScope()
  @Unowned('it is the caller’s own; everybody’s is for the scope admin')
  @ApiErrors('INVALID_REQUEST')
  async listUsageDays(
    @Caller() caller: Principal,
    @Query() { of = 'own', by, ...range }: UsageDaysQueryDto,
  ): Promise<UsageDaysDto> {
    const { id, credential, scopes } = caller;
    if (of === 'all' && credential.kind !== 'none' && !scopes.includes('admin')) {
      throw forbiddenScope('admin', scopes);
    }
    const fields = by?.split(',');
    const wanted = { ...range, by: fields && usageFields.filter((one) => fields.includes(one)) };
    return { days: await this.usage.days(of === 'own' ? id : undefined, wanted) };
  }
}
