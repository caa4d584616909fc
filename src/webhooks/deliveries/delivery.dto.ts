import { ApiProperty } from '@nestjs/swagger';
import { EmptyIsAbsent, OneOf } from '../../http/fields/field-rules.decorator.js';
import { nullableText, nullableTime, time } from '../../http/fields/json-schemas.js';
import { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { PageDto } from '../../http/paging/page.dto.js';
import {
  deliveryStatuses,
  webhookEvents,
  type DeliveryStatus,
  type WebhookType,
} from '../../storage/webhook-schema.js';
import type { DeliveryView } from './view-delivery.js';

export class DeliveryQueryDto extends PageQueryDto {
  @EmptyIsAbsent()
  @OneOf(deliveryStatuses, { description: 'Deliveries of this status alone. Default: all.' })
  status?: DeliveryStatus;
}

export class DeliveryDto implements DeliveryView {
  @ApiProperty({
    type: String,
    description: 'The `webhook-id` of its requests.',
    example: 'evt_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11_1_14',
  })
  id!: string;

  @ApiProperty({ enum: [...webhookEvents, 'webhook.test'] })
  type!: WebhookType;

  @ApiProperty({ enum: deliveryStatuses, description: '`dead`: every try failed.' })
  status!: DeliveryStatus;

  @ApiProperty({ ...nullableText, description: 'Null: a test.' })
  turnId!: string | null;

  @ApiProperty(nullableText)
  sessionId!: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Tries that failed since the event, or since it was last sent again by hand.',
  })
  failures!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Status of the last answer; null: there was none.',
  })
  httpStatus!: number | null;

  @ApiProperty({ ...nullableText, description: 'Reason of the last failure.' })
  error!: string | null;

  @ApiProperty({ ...nullableText, description: 'The first 1 kB of the last answer’s body.' })
  response!: string | null;

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty(nullableTime)
  triedAt!: string | null;

  @ApiProperty({ ...nullableTime, description: 'Null: no try is to come.' })
  nextTryAt!: string | null;

  @ApiProperty({ ...nullableTime, description: 'When it was delivered, or dead.' })
  endedAt!: string | null;
}

export class OneDeliveryDto {
  @ApiProperty({ type: DeliveryDto })
  delivery!: DeliveryDto;
}

export class DeliveryPageDto extends PageDto {
  @ApiProperty({ type: [DeliveryDto], description: 'The newest first.' })
  deliveries!: DeliveryDto[];
}
