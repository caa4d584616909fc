import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { schemaOf } from '../http/fields/type-schema.js';
import { lifecycles, thinkingKinds } from '../provider/model.js';
import type { ListedModel } from '../provider/models/view-model.js';
import { efforts } from '../storage/shapes/stored-thinking.js';
import type { ModelList } from './model-list-service.js';

export class ModelThinkingDto {
  @ApiProperty({
    enum: thinkingKinds,
    isArray: true,
    description: 'Kinds that a request may ask for; none: the model does not think.',
  })
  kinds!: ListedModel['thinking']['kinds'];

  @ApiProperty({
    enum: ['always', 'on', 'off'],
    description: 'Whether a request without `thinking` thinks.',
  })
  byDefault!: ListedModel['thinking']['byDefault'];
}

export class ModelEffortDto {
  @ApiProperty({
    enum: efforts,
    isArray: true,
    description: 'From least to most; none: there is no choice.',
  })
  levels!: ListedModel['effort']['levels'];

  @ApiPropertyOptional({ enum: efforts })
  default?: NonNullable<ListedModel['effort']['default']>;
}

export class ListedModelDto implements ListedModel {
  @ApiProperty({ type: String, description: 'The value for `opts.model`.' })
  id!: string;

  @ApiProperty({ type: String, description: 'The name for people.' })
  name!: string;

  @ApiProperty({ enum: lifecycles })
  lifecycle!: ListedModel['lifecycle'];

  @ApiPropertyOptional({
    type: String,
    description: 'The day of its retirement, where one is set.',
  })
  retiresAt?: string;

  @ApiProperty({ type: 'integer', description: 'Tokens of a request and its reply together.' })
  contextWindow!: number;

  @ApiProperty({ type: 'integer', description: 'Most tokens of a reply.' })
  maxOutput!: number;

  @ApiProperty({ type: ModelThinkingDto })
  thinking!: ModelThinkingDto;

  @ApiProperty({ type: ModelEffortDto })
  effort!: ModelEffortDto;

  @ApiProperty({ type: Boolean })
  seesImages!: boolean;

  @ApiProperty({ type: Boolean })
  readsPdfs!: boolean;

  @ApiPropertyOptional({
    ...schemaOf('Price'),
    description:
      'US dollars for a million tokens, where they are known: `input`, `output`, `cacheWrite5m?`, `cacheWrite1h?`, `cacheRead?`, `longPrompt?`.',
  })
  price?: NonNullable<ListedModel['price']>;
}

export class ModelListDto implements ModelList {
  @ApiProperty({ type: String, description: 'The model of turns that name none.' })
  defaultModel!: string;

  @ApiProperty({ enum: ['anthropic', 'rehearsal'] })
  provider!: ModelList['provider'];

  @ApiProperty({ type: [ListedModelDto] })
  models!: ListedModelDto[];
}
