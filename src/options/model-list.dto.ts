import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { whole, schemaOf } from '../http/fields/json-schemas.js';
import { lifecycles, thinkingKinds } from '../provider/model.js';
import type { ListedModel } from '../provider/models/view-model.js';
import { efforts } from '../storage/shapes/stored-options.js';
import type { ModelList } from './model-list-service.js';

export class ModelThinkingDto {
  /** Kinds that a request may ask for; none: the model does not think. */
  @ApiProperty({ enum: thinkingKinds, isArray: true }) kinds!: ListedModel['thinking']['kinds'];

  /** Whether a request without `thinking` thinks. */
  @ApiProperty({ enum: ['always', 'on', 'off'] })
  byDefault!: ListedModel['thinking']['byDefault'];
}

export class ModelEffortDto {
  /** From least to most; none: there is no choice. */
  @ApiProperty({ enum: efforts, isArray: true }) levels!: ListedModel['effort']['levels'];
  @ApiPropertyOptional({ enum: efforts }) default?: NonNullable<ListedModel['effort']['default']>;
}

export class ListedModelDto implements ListedModel {
  /** The value for `opts.model`. */
  id!: string;
  /** The name for people. */
  name!: string;
  @ApiProperty({ enum: lifecycles }) lifecycle!: ListedModel['lifecycle'];
  /** The day of its retirement, where one is set. */
  retiresAt?: string;
  /** Tokens of a request and its reply together. */
  @ApiProperty(whole) contextWindow!: number;
  /** Most tokens of a reply. */
  @ApiProperty(whole) maxOutput!: number;
  thinking!: ModelThinkingDto;
  effort!: ModelEffortDto;
  seesImages!: boolean;
  readsPdfs!: boolean;

  /**
   * US dollars for a million tokens, where they are known: `input`, `output`, `cacheWrite5m?`, `cacheWrite1h?`,
   * `cacheRead?`, `longPrompt?`.
   */
  @ApiPropertyOptional(schemaOf('Price')) price?: NonNullable<ListedModel['price']>;
}

export class ModelListDto implements ModelList {
  /** The model of turns that name none. */
  defaultModel!: string;
  @ApiProperty({ enum: ['anthropic', 'rehearsal'] }) provider!: ModelList['provider'];
  models!: ListedModelDto[];
}
