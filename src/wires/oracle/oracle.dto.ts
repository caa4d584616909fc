import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RetryAdviceDto } from '../../http/api-errors.decorator.js';

/** The DTO is for the documentation: `parseQuestion` checks the body. */
export class OracleQuestionDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: 2_000 })
  question!: string;

  @ApiPropertyOptional({
    type: [String],
    enum: ['vault', 'code', 'threads'],
    description:
      'Accepted without effect, as a `system` chunk and `notices` report: every tool of the conversation may be used.',
  })
  sources?: string[];

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Whether the answer has `retrieval_traces`. The stream always has its tool calls.',
  })
  explain?: boolean;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  model?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'Default: as the user’s settings say.' })
  thinking?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1_000,
    maximum: 100_000,
    default: 16_000,
    description: 'Most tokens of one reply of the model.',
  })
  max_tokens?: number;

  @ApiPropertyOptional({
    type: String,
    description: 'The conversation to go on with, as `done` gave it. Without it a new one begins.',
  })
  context_id?: string;

  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'A folder in `TURNPIKE_ORACLE_ROOT` that a new conversation works in.',
  })
  project_id?: string;
}

export class OracleCancelDto {
  @ApiProperty({ enum: ['cancelled', 'no_active_session'] })
  status!: 'cancelled' | 'no_active_session';
}

export class OracleForgottenDto {
  @ApiProperty({ type: String, example: 'ok' })
  status!: 'ok';

  @ApiProperty({ type: String })
  message!: string;
}

export class OracleErrorDto extends RetryAdviceDto {
  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  detail!: string;
}
