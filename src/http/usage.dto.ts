import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { whole } from './fields/json-schemas.js';
import type { Usage } from '../storage/shapes/stored-step.js';

export class UsageDto implements Usage {
  @ApiProperty(whole) inputTokens!: number;
  @ApiProperty(whole) outputTokens!: number;
  @ApiProperty(whole) cacheReadTokens!: number;
  @ApiProperty(whole) cacheWriteTokens!: number;
  /** Of `cacheWriteTokens`: kept for 5 minutes. */
  @ApiPropertyOptional(whole) cacheWrite5mTokens?: number;
  /** Of `cacheWriteTokens`: kept for an hour. */
  @ApiPropertyOptional(whole) cacheWrite1hTokens?: number;
  /** Of `outputTokens`: thinking. */
  @ApiPropertyOptional(whole) thinkingTokens?: number;
  /** Tokens that `token_budget` counts. */
  @ApiPropertyOptional(whole) addedTokens?: number;
  /** US dollars, where a price is known. */
  costUsd?: number;
  /** Web searches by the provider. */
  @ApiPropertyOptional(whole) webSearches?: number;
}
