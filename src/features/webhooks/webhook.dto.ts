import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, ValidateIf } from 'class-validator';
import {
  BoundedText,
  CharacterCount,
  EmptyIsAbsent,
  Flag,
  MayBeAbsent,
  mustBe,
  nullableTime,
  nullableWhole,
  OneOf,
  OptionalText,
  PageDto,
  PageQueryDto,
  RequestForm,
  time,
  whole,
  WholeNumber,
} from '../../http/face.js';
import {
  deliveryStatuses,
  webhookEvents,
  type DeliveryStatus,
  type DisabledReason,
  type webhookDeliveries,
  type webhookEndpoints,
  type WebhookEvent,
  type WebhookType,
} from '../../storage/automation-schema.js';

const MAX_URL_CHARS = 2_000;
const MAX_DESCRIPTION_CHARS = 500;

/** Most hours for which the secret before a rotation signs as well: a week. */
const MAX_OVERLAP_HOURS = 168;

const eventWords = mustBe(`null, or a list of at least one of ${webhookEvents.join(', ')}`);
const descriptionWords = mustBe(`a text of at most ${MAX_DESCRIPTION_CHARS} characters`);

function Url() {
  return BoundedText({
    max: MAX_URL_CHARS,
    description: 'Where requests are sent: https, and a public address.',
  });
}

function Description() {
  return applyDecorators(
    OptionalText('What it is for.', 'Mails the team'),
    CharacterCount({ min: 0, max: MAX_DESCRIPTION_CHARS }, descriptionWords),
  );
}

function Events() {
  return applyDecorators(
    ApiProperty({
      isArray: true,
      enum: webhookEvents,
      nullable: true,
      description: 'Default, and null: all, those of later versions as well.',
    }),
    MayBeAbsent(),
    ValidateIf((_webhook: unknown, value: unknown) => value !== null),
    IsArray(eventWords),
    ArrayNotEmpty(eventWords),
    ArrayUnique(eventWords),
    IsIn(webhookEvents, { each: true, ...eventWords }),
  );
}

@RequestForm({ closed: 'A webhook' })
export class NewWebhookDto {
  @Url() url!: string;
  @Events() events?: WebhookEvent[] | null;
  @Description() description?: string;

  /** Default: true. Events of the time in which it is disabled are never sent. */
  @MayBeAbsent()
  @Flag()
  enabled?: boolean;
}

@RequestForm({ closed: 'A webhook' })
export class WebhookChangesDto {
  @MayBeAbsent()
  @Url()
  url?: string;

  @Events() events?: WebhookEvent[] | null;
  @Description() description?: string;

  /** What was to be sent before it was disabled is sent when it is enabled again. */
  @MayBeAbsent()
  @Flag()
  enabled?: boolean;
}

@RequestForm({ closed: 'A rotation' })
export class RotationDto {
  /** Hours for which requests are signed with the secret before it as well. Default: 24. 0: no more from now on. */
  @MayBeAbsent()
  @WholeNumber({ min: 0, max: MAX_OVERLAP_HOURS })
  keepOldHours = 24;
}

/** A webhook as its owner sees it: without its secret. */
export class WebhookDto {
  /** @example hook_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11 */
  id!: string;
  url!: string;
  description!: string;

  /** Null: all. */
  @ApiProperty({ enum: webhookEvents, isArray: true, nullable: true })
  events!: WebhookEvent[] | null;

  enabled!: boolean;
  /** `gone`: the server disabled it, as its endpoint answered 410. */
  disabledReason!: DisabledReason | null;
  /** Time of the first failure since the last success; null: the last try succeeded. */
  @ApiProperty(nullableTime) failingSince!: string | null;
  /** Until then requests are signed with the secret before the last rotation as well. */
  @ApiProperty(nullableTime) previousSecretUntil!: string | null;
  @ApiProperty(time) createdAt!: string;
}

export class OneWebhookDto {
  webhook!: WebhookDto;
}

export class WebhookWithSecretDto extends OneWebhookDto {
  /**
   * The secret that signs. It is shown this once.
   *
   * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
   */
  secret!: string;
}

export class WebhookListDto {
  /** In the order they were made. */
  webhooks!: WebhookDto[];
}

@RequestForm({ closed: 'The query' })
export class DeliveryQueryDto extends PageQueryDto {
  /** Deliveries of this status alone. Default: all. */
  @EmptyIsAbsent()
  @OneOf(deliveryStatuses)
  status?: DeliveryStatus;
}

/** A delivery as the webhook's owner sees it. */
export class DeliveryDto {
  /**
   * The `webhook-id` of its requests.
   *
   * @example evt_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11_1_14
   */
  id!: string;

  @ApiProperty({ enum: [...webhookEvents, 'webhook.test'] }) type!: WebhookType;
  /** `dead`: every try failed. */
  @ApiProperty({ enum: deliveryStatuses }) status!: DeliveryStatus;
  /** Null: a test. */
  turnId!: string | null;
  sessionId!: string | null;
  /** Tries that failed since the event, or since it was last sent again by hand. */
  @ApiProperty(whole) failures!: number;
  /** Status of the last answer; null: there was none. */
  @ApiProperty(nullableWhole) httpStatus!: number | null;
  /** Reason of the last failure. */
  error!: string | null;
  /** The first 1 kB of the last answer’s body. */
  response!: string | null;
  @ApiProperty(time) createdAt!: string;
  @ApiProperty(nullableTime) triedAt!: string | null;
  /** Null: no try is to come. */
  @ApiProperty(nullableTime) nextTryAt!: string | null;
  /** When it was delivered, or dead. */
  @ApiProperty(nullableTime) endedAt!: string | null;
}

export class OneDeliveryDto {
  delivery!: DeliveryDto;
}

export class DeliveryPageDto extends PageDto {
  /** The newest first. */
  deliveries!: DeliveryDto[];
}

export type EndpointRow = typeof webhookEndpoints.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;

export function viewWebhook(endpoint: EndpointRow): WebhookDto {
  const { id, url, description, events, enabled, disabledReason } = endpoint;
  return {
    id,
    url,
    description,
    events,
    enabled,
    disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    previousSecretUntil: endpoint.previousUntil?.toISOString() ?? null,
    createdAt: endpoint.createdAt.toISOString(),
  };
}

export function viewDelivery(delivery: DeliveryRow): DeliveryDto {
  const { id, type, status, turnId, sessionId, failures, httpStatus, error, response } = delivery;
  return {
    id,
    type,
    status,
    turnId,
    sessionId,
    failures,
    httpStatus,
    error,
    response,
    createdAt: delivery.createdAt.toISOString(),
    triedAt: delivery.triedAt?.toISOString() ?? null,
    nextTryAt: status === 'pending' ? delivery.nextAt.toISOString() : null,
    endedAt: delivery.endedAt?.toISOString() ?? null,
  };
}
