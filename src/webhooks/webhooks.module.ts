import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DeliveryController } from './deliveries/delivery.controller.js';
import { DeliveryService } from './deliveries/delivery-service.js';
import { EndpointStore } from './endpoints/endpoint-store.js';
import { WebhookController } from './endpoints/webhook.controller.js';
import { WebhookService } from './endpoints/webhook-service.js';
import { webhookHosts } from './judge-url.js';
import { DeliveryPoster } from './sending/delivery-poster.js';
import { DeliveryQueue } from './sending/delivery-queue.js';
import { WebhookSender } from './sending/webhook-sender.js';

/** The routes of webhooks. */
@Module({
  imports: [AccessModule],
  controllers: [WebhookController, DeliveryController],
  providers: [EndpointStore, WebhookService, DeliveryService],
})
export class WebhookApiModule {}

/** Sends what turns left in the outbox. */
@Module({
  providers: [
    DeliveryQueue,
    {
      provide: DeliveryPoster,
      inject: [CONFIG, CLOCK],
      useFactory: (config: Config, clock: Clock) =>
        new DeliveryPoster({ inside: webhookHosts(config), clock }),
    },
    WebhookSender,
  ],
})
export class WebhookSenderModule implements OnModuleDestroy {
  constructor(private readonly sender: WebhookSender) {}

  start(): void {
    this.sender.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.sender.stop();
  }
}
