import { Body, Controller, Get, HttpCode, Inject, Post, Put, type Type } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { CONFIG, type Config } from '../config/config.js';
import { fieldsOf } from '../http/fields/field-rules.decorator.js';
import { ApiErrors, ErrorsAs } from '../http/errors/error-shape.js';
import { faultsShape } from '../http/errors/fastapi-faults.js';
import {
  AgentConfigDto,
  PreferencesDto,
  ResetAgentConfigDto,
  ResetPreferencesDto,
} from './preferences.dto.js';
import {
  EffectivePreferencesDto,
  resolvePreferences,
  type EffectivePreference,
} from './effective-preferences.js';
import { OptionLoader } from './option-loader.js';
import { optionRules } from './option-rules.js';
import { PreferencesStore } from './preferences-store.js';
import { viewAgentConfig, viewPreferences, type PreferenceValues } from './preferences.js';

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
  readonly #defaultModel: string;

  constructor(
    private readonly store: PreferencesStore,
    private readonly options: OptionLoader,
    @Inject(CONFIG) { model }: Pick<Config, 'model'>,
  ) {
    this.#defaultModel = optionRules.model.parse(model) ?? optionRules.model.fallback();
  }

  /** The limits of the user's turns */
  @Get('agent-config')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  async getAgentConfig(@Caller() { id }: Principal): Promise<PreferenceValues> {
    return viewAgentConfig(await this.store.get(id));
  }

  /** Change any of the limits, from the next turn on */
  @Put('agent-config')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  async changeAgentConfig(
    @Body() change: AgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return viewAgentConfig(await this.store.change(caller, change));
  }

  /** Set every limit back to its default, or those of `fields` */
  @Post('agent-config/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiBody({ type: ResetAgentConfigDto, required: false })
  @ApiOkResponse({ schema: wholeOf(AgentConfigDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  async resetAgentConfig(
    @Body() { fields }: ResetAgentConfigDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return viewAgentConfig(await this.store.reset(caller, fields));
  }

  /** Values in force for the user on each wire, and the saved values */
  @Get('effective')
  @Unowned(areTheCallers)
  @ApiOkResponse({ type: EffectivePreferencesDto })
  async getEffectiveSettings(
    @Caller() { id }: Principal,
  ): Promise<{ settings: EffectivePreference[] }> {
    const [stored, server] = await Promise.all([this.store.get(id), this.options.serverDefaults()]);
    return { settings: resolvePreferences(stored, server) };
  }

  /** All preferences of the user, the limits among them */
  @Get('models')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  async getModelSettings(@Caller() { id }: Principal): Promise<PreferenceValues> {
    return viewPreferences(await this.store.get(id), this.#defaultModel);
  }

  /** Change any of the preferences, from the next turn on */
  @Put('models')
  @Unowned(areTheCallers)
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  async changeModelSettings(
    @Body() change: PreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return viewPreferences(await this.store.change(caller, change), this.#defaultModel);
  }

  /** Set every preference back to its default, or those of `fields` */
  @Post('models/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiBody({ type: ResetPreferencesDto, required: false })
  @ApiOkResponse({ schema: wholeOf(PreferencesDto) })
  @ApiErrors('INVALID_REQUEST/fields')
  async resetModelSettings(
    @Body() { fields }: ResetPreferencesDto,
    @Caller() caller: Principal,
  ): Promise<PreferenceValues> {
    return viewPreferences(await this.store.reset(caller, fields), this.#defaultModel);
  }
}
