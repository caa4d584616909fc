import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { BackgroundTasks, type Clock, CLOCK } from '../../platform/face.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookService } from './webhook-service.js';
import { webhookHosts } from '../../http/face.js';
import { DeliveryPoster } from './delivery-poster.js';
import { DeliveryQueue } from './outbox.js';
import { WebhookSender } from './webhook-sender.js';

/** The routes of webhooks. */
@Module({
  imports: [AccessModule],
  controllers: [WebhookController],
  providers: [WebhookService],
})
export class WebhookApiModule {}

/** Sends what turns left in the outbox. */
@Module({
  imports: [AccessModule],
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
export class WebhookSenderModule {
  constructor(tasks: BackgroundTasks, sender: WebhookSender) {
    tasks.register(sender);
  }
}
