import { Body, Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/api-errors.decorator.js';
import { ErrorsAs } from '../../http/error-shape.decorator.js';
import { faultsShape } from '../../http/error-shape.js';
import {
  agentConfigSchema,
  effectiveSchema,
  resetSchema,
  preferencesSchema,
} from './describe-fields.js';
import type { EffectivePreference } from './effective-preferences.js';
import type { PreferenceValues } from './model-preferences.js';
import { PreferencesService } from './preferences-service.js';

/** The reason why no route here names an owner. */
const areTheCallers = 'they are the caller’s preferences';

@ApiTags('settings')
@Controller('api/settings')
@ErrorsAs(faultsShape)
export class PreferencesController {
  constructor(private readonly preferences: PreferencesService) {}

  @Get('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({ operationId: 'getAgentConfig', summary: "The limits of the user's turns" })
  @ApiOkResponse({ schema: agentConfigSchema })
  agentConfig(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.agentConfig(caller.id);
  }

  @Put('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'changeAgentConfig',
    summary: 'Change any of the limits, from the next turn on',
  })
  @ApiBody({ schema: agentConfigSchema })
  @ApiOkResponse({ schema: agentConfigSchema })
  @ApiErrors('INVALID_REQUEST/fields')
  changeAgentConfig(@Body() body: unknown, @Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.changeAgentConfig(caller.id, body);
  }

  @Post('agent-config/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resetAgentConfig',
    summary: 'Set every limit back to its default, or those of `fields`',
  })
  @ApiBody({ schema: resetSchema(agentConfigSchema), required: false })
  @ApiOkResponse({ schema: agentConfigSchema })
  @ApiErrors('INVALID_REQUEST/fields')
  resetAgentConfig(@Body() body: unknown, @Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.resetAgentConfig(caller.id, body);
  }

  @Get('effective')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'getEffectiveSettings',
    summary: 'Values in force for the user on each wire, and the saved values',
  })
  @ApiOkResponse({ schema: effectiveSchema })
  async effective(@Caller() caller: Principal): Promise<{ settings: EffectivePreference[] }> {
    return { settings: await this.preferences.effective(caller.id) };
  }

  @Get('models')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'getModelSettings',
    summary: 'All preferences of the user, the limits among them',
  })
  @ApiOkResponse({ schema: preferencesSchema })
  models(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.models(caller.id);
  }

  @Put('models')
  @Unowned(areTheCallers)
  @ApiOperation({
    operationId: 'changeModelSettings',
    summary: 'Change any of the preferences, from the next turn on',
  })
  @ApiBody({ schema: preferencesSchema })
  @ApiOkResponse({ schema: preferencesSchema })
  @ApiErrors('INVALID_REQUEST/fields')
  changeModels(@Body() body: unknown, @Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.changeModels(caller.id, body);
  }

  @Post('models/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resetModelSettings',
    summary: 'Set every preference back to its default, or those of `fields`',
  })
  @ApiBody({ schema: resetSchema(preferencesSchema), required: false })
  @ApiOkResponse({ schema: preferencesSchema })
  @ApiErrors('INVALID_REQUEST/fields')
  resetModels(@Body() body: unknown, @Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.resetModels(caller.id, body);
  }
}
