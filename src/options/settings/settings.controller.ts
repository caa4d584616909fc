import { Body, Controller, Get, HttpCode, Post, Put, UseFilters } from '@nestjs/common';
import {
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../wire/api-errors.decorator.js';
import { agentConfigSchema, settingsSchema } from './describe-fields.js';
import type { Settings } from './model-settings.js';
import { SettingsService } from './settings-service.js';
import { ValidationDetailDto } from './validation-detail.dto.js';
import { ValidationDetailFilter } from './validation-detail.filter.js';

/** Of all its routes. */
const areTheCallers = 'they are the caller’s settings';

const unprocessable = {
  type: ValidationDetailDto,
  description: 'A field is unknown, of another type or out of its bounds. Nothing was saved.',
};

@ApiTags('settings')
@Controller('api/settings')
@UseFilters(ValidationDetailFilter)
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({ summary: "The limits of the user's turns" })
  @ApiOkResponse({ schema: agentConfigSchema })
  @ApiErrors({ 503: 'STORAGE_UNAVAILABLE' })
  agentConfig(@Caller() caller: Principal): Promise<Settings> {
    return this.settings.agentConfig(caller.id);
  }

  @Put('agent-config')
  @Unowned(areTheCallers)
  @ApiOperation({ summary: 'Change any of the limits, from the next turn on' })
  @ApiBody({ schema: agentConfigSchema })
  @ApiOkResponse({ schema: agentConfigSchema })
  @ApiUnprocessableEntityResponse(unprocessable)
  @ApiErrors({ 400: 'INVALID_REQUEST', 413: 'BODY_TOO_LARGE', 503: 'STORAGE_UNAVAILABLE' })
  changeAgentConfig(@Body() body: unknown, @Caller() caller: Principal): Promise<Settings> {
    return this.settings.changeAgentConfig(caller.id, body);
  }

  @Post('agent-config/reset')
  @Unowned(areTheCallers)
  @HttpCode(200)
  @ApiOperation({ summary: 'Set every limit back to its default' })
  @ApiOkResponse({ schema: agentConfigSchema })
  @ApiErrors({ 503: 'STORAGE_UNAVAILABLE' })
  resetAgentConfig(@Caller() caller: Principal): Promise<Settings> {
    return this.settings.resetAgentConfig(caller.id);
  }

  @Get('models')
  @Unowned(areTheCallers)
  @ApiOperation({ summary: 'All settings of the user, the limits among them' })
  @ApiOkResponse({ schema: settingsSchema })
  @ApiErrors({ 503: 'STORAGE_UNAVAILABLE' })
  models(@Caller() caller: Principal): Promise<Settings> {
    return this.settings.models(caller.id);
  }

  @Put('models')
  @Unowned(areTheCallers)
  @ApiOperation({ summary: 'Change any of the settings, from the next turn on' })
  @ApiBody({ schema: settingsSchema })
  @ApiOkResponse({ schema: settingsSchema })
  @ApiUnprocessableEntityResponse(unprocessable)
  @ApiErrors({ 400: 'INVALID_REQUEST', 413: 'BODY_TOO_LARGE', 503: 'STORAGE_UNAVAILABLE' })
  changeModels(@Body() body: unknown, @Caller() caller: Principal): Promise<Settings> {
    return this.settings.changeModels(caller.id, body);
  }
}
