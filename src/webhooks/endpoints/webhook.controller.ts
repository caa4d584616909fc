import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Owned, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { WebhookIdDto } from '../../http/id-params.dto.js';
import { WebhookService } from './webhook-service.js';
import {
  NewWebhookDto,
  OneWebhookDto,
  RotationDto,
  WebhookChangesDto,
  WebhookListDto,
  WebhookWithSecretDto,
} from './webhook.dto.js';

@ApiTags('webhooks')
@Controller('api/harness/webhooks')
export class WebhookController {
  constructor(private readonly webhooks: WebhookService) {}

  @Post()
  @HttpCode(200)
  @Unowned('what it makes is the caller’s')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Have events of your turns sent to a URL; the secret is shown once',
  })
  @ApiOkResponse({ type: WebhookWithSecretDto })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_URL_REFUSED', 'WEBHOOK_LIMIT')
  create(@Body() body: NewWebhookDto, @Caller() caller: Principal): Promise<WebhookWithSecretDto> {
    return this.webhooks.create(body, caller.id);
  }

  @Get()
  @Unowned('it lists the caller’s own')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'Your webhooks, without their secrets' })
  @ApiOkResponse({ type: WebhookListDto })
  async list(@Caller() caller: Principal): Promise<WebhookListDto> {
    return { webhooks: await this.webhooks.list(caller.id) };
  }

  @Get(':id')
  @Owned({ webhook: 'params.id' })
  @ApiOperation({ operationId: 'getWebhook', summary: 'One webhook' })
  @ApiOkResponse({ type: OneWebhookDto })
  @ApiErrors('WEBHOOK_NOT_FOUND')
  async get(@Param() { id }: WebhookIdDto): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.get(id) };
  }

  @Patch(':id')
  @Owned({ webhook: 'params.id' })
  @ApiOperation({
    operationId: 'changeWebhook',
    summary: 'Change a webhook; what is not given stays as it is',
  })
  @ApiOkResponse({ type: OneWebhookDto })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_URL_REFUSED', 'WEBHOOK_NOT_FOUND')
  async change(
    @Param() { id }: WebhookIdDto,
    @Body() body: WebhookChangesDto,
    @Caller() caller: Principal,
  ): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.change(id, body, caller.id) };
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Owned({ webhook: 'params.id' })
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret; the one before it signs as well for a while',
  })
  @ApiOkResponse({ type: WebhookWithSecretDto })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_NOT_FOUND')
  rotate(
    @Param() { id }: WebhookIdDto,
    @Body() { keepOldHours }: RotationDto,
    @Caller() caller: Principal,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.rotate(id, keepOldHours, caller.id);
  }

  @Delete(':id')
  @Owned({ webhook: 'params.id' })
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries; nothing more is sent to it',
  })
  @ApiOkResponse({ type: OneWebhookDto })
  @ApiErrors('WEBHOOK_NOT_FOUND')
  async delete(@Param() { id }: WebhookIdDto, @Caller() caller: Principal): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.delete(id, caller.id) };
  }
}
