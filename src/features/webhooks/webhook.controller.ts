import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, NeverForPages, Owned, type Principal, Unowned } from '../../access/face.js';
import { ApiErrors, DeliveryIdDto, WebhookIdDto } from '../../http/face.js';
import { WebhookService } from './webhook-service.js';
import {
  DeliveryPageDto,
  DeliveryQueryDto,
  NewWebhookDto,
  OneDeliveryDto,
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

  /** Have events of your turns sent to a URL; the secret is shown once */
  @Post()
  @NeverForPages()
  @HttpCode(200)
  @Unowned('what it makes is the caller’s')
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_URL_REFUSED', 'WEBHOOK_LIMIT')
  createWebhook(
    @Body() body: NewWebhookDto,
    @Caller() caller: Principal,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.create(body, caller);
  }

  /** Your webhooks, without their secrets */
  @Get()
  @Unowned('it lists the caller’s own')
  async listWebhooks(@Caller() caller: Principal): Promise<WebhookListDto> {
    return { webhooks: await this.webhooks.list(caller.id) };
  }

  /** One webhook */
  @Get(':id')
  @Owned({ webhook: 'params.id' })
  @ApiErrors('WEBHOOK_NOT_FOUND')
  async getWebhook(@Param() { id }: WebhookIdDto): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.get(id) };
  }

  /** Change a webhook; what is not given stays as it is */
  @Patch(':id')
  @NeverForPages()
  @Owned({ webhook: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_URL_REFUSED', 'WEBHOOK_NOT_FOUND')
  async changeWebhook(
    @Param() { id }: WebhookIdDto,
    @Body() body: WebhookChangesDto,
    @Caller() caller: Principal,
  ): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.change(id, body, caller) };
  }

  /** Make a new secret; the one before it signs as well for a while */
  @Post(':id/rotate')
  @NeverForPages()
  @HttpCode(200)
  @Owned({ webhook: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_NOT_FOUND')
  rotateWebhookSecret(
    @Param() { id }: WebhookIdDto,
    @Body() { keepOldHours }: RotationDto,
    @Caller() caller: Principal,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.rotate(id, keepOldHours, caller);
  }

  /** Delete a webhook with its deliveries; nothing more is sent to it */
  @Delete(':id')
  @Owned({ webhook: 'params.id' })
  @ApiErrors('WEBHOOK_NOT_FOUND')
  async deleteWebhook(
    @Param() { id }: WebhookIdDto,
    @Caller() caller: Principal,
  ): Promise<OneWebhookDto> {
    return { webhook: await this.webhooks.delete(id, caller) };
  }

  /** What was sent to a webhook or is to be sent, the newest first */
  @Get(':id/deliveries')
  @Owned({ webhook: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_NOT_FOUND')
  listDeliveries(
    @Param() { id }: WebhookIdDto,
    @Query() query: DeliveryQueryDto,
  ): Promise<DeliveryPageDto> {
    return this.webhooks.listDeliveries(id, query);
  }

  /** Send a delivery again, under its id, with all its tries */
  @Post(':id/deliveries/:deliveryId/redeliver')
  @HttpCode(202)
  @Owned({ webhook: 'params.id' })
  @ApiErrors('WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED')
  async redeliverWebhook(@Param() { id, deliveryId }: DeliveryIdDto): Promise<OneDeliveryDto> {
    return { delivery: await this.webhooks.redeliver(id, deliveryId) };
  }

  /** Send a webhook an event of no turn */
  @Post(':id/test')
  @HttpCode(202)
  @Owned({ webhook: 'params.id' })
  @ApiErrors('WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED')
  async testWebhook(@Param() { id }: WebhookIdDto): Promise<OneDeliveryDto> {
    return { delivery: await this.webhooks.test(id) };
  }
}
