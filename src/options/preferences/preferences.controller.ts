import { Body, Controller, Get, HttpCode, Post, Put, type Type } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { fieldsOf } from '../../http/fields/class-fields.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ErrorsAs } from '../../http/errors/error-shape.decorator.js';
import { faultsShape } from '../../http/errors/error-shape.js';
import { AgentConfigDto } from '../agent-config.dto.js';
import { EffectivePreferencesDto } from './effective-preferences.dto.js';
import type { EffectivePreference } from './effective-preferences.js';
import type { PreferenceValues } from './model-preferences.js';
import { PreferencesDto, ResetAgentConfigDto, ResetPreferencesDto } from './preferences.dto.js';
import { PreferencesService } from './preferences-service.js';

/** The reason why no route here names an owner. */
const areTheCallers = 'they are the caller’s preferences';

/** The schema of an answer: every field is there. */
const wholeOf = (type: Type<object>) => ({
  allOf: [{ $ref: getSchemaPath(type) }],
  required: fieldsOf(type),
});

@ApiTags('settings')
@Controller('api/settings')
@ErrorsAs(faultsShape)
export class PreferencesController {
  constructor(private readonly preferences: PreferencesService) {}

  @Get('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({ operationId: 'getAgentConfig', summary: "The limits of the user's turns" })
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  agentConfig(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.agentConfig(caller.id);
  }

  @Put('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'changeAgentConfig',
    summary: 'Change any of the limits, from the next turn on',
  })
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  changeAgentConfig(
    @Body() change: AgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.changeAgentConfig(caller.id, change);
  }

  @Post('agent-config/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resetAgentConfig',
    summary: 'Set every limit back to its default, or those of `fields`',
  })
  @ApiBody({ type: ResetAgentConfigDto, required: false })
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  resetAgentConfig(
    @Body() reset: ResetAgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.resetAgentConfig(caller.id, reset.fields);
  }

  @Get('effective')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'getEffectiveSettings',
    summary: 'Values in force for the user on each wire, and the saved values',
  })
  @ApiOkResponse({ type: EffectivePreferencesDto })
  async effective(@Caller() caller: Principal): Promise<{ settings: EffectivePreference[] }> {
    return { settings: await this.preferences.effective(caller.id) };
  }

  @Get('models')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'getModelSettings',
    summary: 'All preferences of the user, the limits among them',
  })
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  models(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.models(caller.id);
  }

  @Put('models')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'changeModelSettings',
    summary: 'Change any of the preferences, from the next turn on',
  })
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  changeModels(
    @Body() change: PreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.changeModels(caller.id, change);
  }

  @Post('models/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resetModelSettings',
    summary: 'Set every preference back to its default, or those of `fields`',
  })
  @ApiBody({ type: ResetPreferencesDto, required: false })
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  resetModels(
    @Body() reset: ResetPreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.resetModels(caller.id, reset.fields);
  }
}
