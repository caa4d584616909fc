import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { schemaOf, whole } from '../http/fields/json-schemas.js';
import { compact } from '../platform/compact.js';
import {
  lifecycles,
  thinkingKinds,
  type Lifecycle,
  type Model,
  type ThinkingKind,
} from '../provider/model.js';
import type { ProviderMode } from '../provider/provider-config.js';
import { efforts, type Effort, type Price } from '../storage/shapes/stored-options.js';

export class ModelThinkingDto {
  /** Kinds that a request may ask for; none: the model does not think. */
  @ApiProperty({ enum: thinkingKinds, isArray: true }) kinds!: readonly ThinkingKind[];
  /** Whether a request without `thinking` thinks. */
  @ApiProperty({ enum: ['always', 'on', 'off'] }) byDefault!: 'always' | 'on' | 'off';
}

export class ModelEffortDto {
  /** From least to most; none: there is no choice. */
  @ApiProperty({ enum: efforts, isArray: true }) levels!: readonly Effort[];
  @ApiPropertyOptional({ enum: efforts }) default?: Effort;
}

/** A model as clients see it. */
export class ListedModelDto {
  /** The value for `opts.model`. */
  id!: string;
  /** The name for people. */
  name!: string;
  @ApiProperty({ enum: lifecycles }) lifecycle!: Lifecycle;
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
  @ApiPropertyOptional(schemaOf('Price')) price?: Price;
}

export class ModelListDto {
  /** The model of turns that name none. */
  defaultModel!: string;
  @ApiProperty({ enum: ['anthropic', 'rehearsal'] }) provider!: ProviderMode;
  models!: ListedModelDto[];
}

export function viewModel(model: Model): ListedModelDto {
  const { id, name, lifecycle, retiresAt, contextWindow, maxOutput, defaultEffort, price } = model;
  return compact({
    id,
    name,
    lifecycle,
    retiresAt,
    contextWindow,
    maxOutput,
    thinking: { kinds: model.thinking, byDefault: model.thinksByDefault },
    effort: compact({ levels: model.efforts, default: defaultEffort }),
    seesImages: model.seesImages,
    readsPdfs: model.readsPdfs,
    price,
  });
}
