import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, ValidateIf } from 'class-validator';
import {
  BoundedText,
  CharacterCount,
  Flag,
  MayBeAbsent,
  OptionalText,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { nullableTime, time } from '../../http/fields/json-schemas.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import {
  webhookEvents,
  type DisabledReason,
  type WebhookEvent,
} from '../../storage/webhook-schema.js';
import type { WebhookView } from './view-webhook.js';

const LONGEST_URL = 2_000;
const LONGEST_DESCRIPTION = 500;

/** Most hours for which the secret before a rotation signs as well: a week. */
const MOST_OLD_HOURS = 168;

const eventWords = mustBe(`null, or a list of at least one of ${webhookEvents.join(', ')}`);
const descriptionWords = mustBe(`a text of at most ${LONGEST_DESCRIPTION} characters`);

function Url() {
  return BoundedText({
    max: LONGEST_URL,
    description: 'Where requests are sent: https, and a public address.',
  });
}

function Description() {
  return applyDecorators(
    OptionalText('What it is for.', 'Mails the team'),
    CharacterCount({ min: 0, max: LONGEST_DESCRIPTION }, descriptionWords),
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
  @Url()
  url!: string;

  @Events()
  events?: WebhookEvent[] | null;

  @Description()
  description?: string;

  @MayBeAbsent()
  @Flag('Default: true. Events of the time in which it is disabled are never sent.')
  enabled?: boolean;
}

@RequestForm({ closed: 'A webhook' })
export class WebhookChangesDto {
  @MayBeAbsent()
  @Url()
  url?: string;

  @Events()
  events?: WebhookEvent[] | null;

  @Description()
  description?: string;

  @MayBeAbsent()
  @Flag('What was to be sent before it was disabled is sent when it is enabled again.')
  enabled?: boolean;
}

@RequestForm({ closed: 'A rotation' })
export class RotationDto {
  @MayBeAbsent()
  @WholeNumber({
    min: 0,
    max: MOST_OLD_HOURS,
    description:
      'Hours for which requests are signed with the secret before it as well. Default: 24. 0: no more from now on.',
  })
  keepOldHours = 24;
}

export class WebhookDto implements WebhookView {
  @ApiProperty({ type: String, example: 'hook_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11' })
  id!: string;

  @ApiProperty({ type: String })
  url!: string;

  @ApiProperty({ type: String })
  description!: string;

  @ApiProperty({ enum: webhookEvents, isArray: true, nullable: true, description: 'Null: all.' })
  events!: WebhookEvent[] | null;

  @ApiProperty({ type: Boolean })
  enabled!: boolean;

  @ApiProperty({
    enum: ['gone'],
    nullable: true,
    description: '`gone`: the server disabled it, as its endpoint answered 410.',
  })
  disabledReason!: DisabledReason | null;

  @ApiProperty({
    ...nullableTime,
    description: 'Time of the first failure since the last success; null: the last try succeeded.',
  })
  failingSince!: string | null;

  @ApiProperty({
    ...nullableTime,
    description: 'Until then requests are signed with the secret before the last rotation as well.',
  })
  previousSecretUntil!: string | null;

  @ApiProperty(time)
  createdAt!: string;
}

export class OneWebhookDto {
  @ApiProperty({ type: WebhookDto })
  webhook!: WebhookDto;
}

export class WebhookWithSecretDto extends OneWebhookDto {
  @ApiProperty({
    type: String,
    description: 'The secret that signs. It is shown this once.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  })
  secret!: string;
}

export class WebhookListDto {
  @ApiProperty({ type: [WebhookDto], description: 'In the order they were made.' })
  webhooks!: WebhookDto[];
}
