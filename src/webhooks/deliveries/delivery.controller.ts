import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Owned } from '../../access/owned.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { DeliveryIdDto, WebhookIdDto } from '../../http/id-params.dto.js';
import { DeliveryPageDto, DeliveryQueryDto, OneDeliveryDto } from './delivery.dto.js';
import { DeliveryService } from './delivery-service.js';

@ApiTags('webhooks')
@Controller('api/harness/webhooks/:id')
export class DeliveryController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Get('deliveries')
  @Owned({ webhook: 'params.id' })
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'What was sent to a webhook or is to be sent, the newest first',
  })
  @ApiOkResponse({ type: DeliveryPageDto })
  @ApiErrors('INVALID_REQUEST', 'WEBHOOK_NOT_FOUND')
  page(@Param() { id }: WebhookIdDto, @Query() query: DeliveryQueryDto): Promise<DeliveryPageDto> {
    return this.deliveries.page(id, query);
  }

  @Post('deliveries/:deliveryId/redeliver')
  @HttpCode(202)
  @Owned({ webhook: 'params.id' })
  @ApiOperation({
    operationId: 'redeliverWebhook',
    summary: 'Send a delivery again, under its id, with all its tries',
  })
  @ApiAcceptedResponse({ type: OneDeliveryDto })
  @ApiErrors('WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED')
  async redeliver(@Param() { id, deliveryId }: DeliveryIdDto): Promise<OneDeliveryDto> {
    return { delivery: await this.deliveries.redeliver(id, deliveryId) };
  }

  @Post('test')
  @HttpCode(202)
  @Owned({ webhook: 'params.id' })
  @ApiOperation({ operationId: 'testWebhook', summary: 'Send a webhook an event of no turn' })
  @ApiAcceptedResponse({ type: OneDeliveryDto })
  @ApiErrors('WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED')
  async test(@Param() { id }: WebhookIdDto): Promise<OneDeliveryDto> {
    return { delivery: await this.deliveries.test(id) };
  }
}
