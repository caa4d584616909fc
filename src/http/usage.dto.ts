import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Usage } from '../storage/shapes/stored-step.js';

export class UsageDto implements Usage {
  @ApiProperty({ type: 'integer' })
  inputTokens!: number;

  @ApiProperty({ type: 'integer' })
  outputTokens!: number;

  @ApiProperty({ type: 'integer' })
  cacheReadTokens!: number;

  @ApiProperty({ type: 'integer' })
  cacheWriteTokens!: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Of `cacheWriteTokens`: kept for 5 minutes.',
  })
  cacheWrite5mTokens?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Of `cacheWriteTokens`: kept for an hour.' })
  cacheWrite1hTokens?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Of `outputTokens`: thinking.' })
  thinkingTokens?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Tokens that `token_budget` counts.' })
  addedTokens?: number;

  @ApiPropertyOptional({ type: Number, description: 'US dollars, where a price is known.' })
  costUsd?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Web searches by the provider.' })
  webSearches?: number;
}
