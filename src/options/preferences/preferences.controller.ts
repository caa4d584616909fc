import { Body, Controller, Get, HttpCode, Post, Put, type Type } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { fieldsOf } from '../../http/fields/class-fields.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ErrorsAs, faultsShape } from '../../http/errors/error-shape.js';
import { AgentConfigDto } from '../agent-config.dto.js';
import { EffectivePreferencesDto, type EffectivePreference } from './effective-preferences.js';
import type { PreferenceValues } from './preferences-store.js';
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

  /** The limits of the user's turns */
  @Get('agent-config')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  getAgentConfig(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.agentConfig(caller.id);
  }

  /** Change any of the limits, from the next turn on */
  @Put('agent-config')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  changeAgentConfig(
    @Body() change: AgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.changeAgentConfig(caller.id, change);
  }

  /** Set every limit back to its default, or those of `fields` */
  @Post('agent-config/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiBody({ type: ResetAgentConfigDto, required: false })
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  resetAgentConfig(
    @Body() reset: ResetAgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.resetAgentConfig(caller.id, reset.fields);
  }

  /** Values in force for the user on each wire, and the saved values */
  @Get('effective')
  @Unowned(areTheCallers)
  @ApiOkResponse({ type: EffectivePreferencesDto })
  async getEffectiveSettings(
    @Caller() caller: Principal,
  ): Promise<{ settings: EffectivePreference[] }> {
    return { settings: await this.preferences.effective(caller.id) };
  }

  /** All preferences of the user, the limits among them */
  @Get('models')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  getModelSettings(@Caller() caller: Principal): Promise<PreferenceValues> {
    return this.preferences.models(caller.id);
  }

  /** Change any of the preferences, from the next turn on */
  @Put('models')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  changeModelSettings(
    @Body() change: PreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.changeModels(caller.id, change);
  }

  /** Set every preference back to its default, or those of `fields` */
  @Post('models/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiBody({ type: ResetPreferencesDto, required: false })
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  resetModelSettings(
    @Body() reset: ResetPreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return this.preferences.resetModels(caller.id, reset.fields);
  }
}
