import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import {
  BoundedText,
  EmptyIsAbsent,
  Flag,
  ListOf,
  MayBeNull,
  OneOf,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { RequestForm } from '../../http/request-form.decorator.js';

/** A question (contract: oracle, section 1). Null leaves a field out, as clients of this family send it. */
@RequestForm({ listedIn: 'body' })
export class OracleQuestionDto {
  @BoundedText({ max: 2_000 })
  question!: string;

  @MayBeNull()
  @ListOf(
    ['vault', 'code', 'threads'],
    'Accepted without effect, as a `system` chunk and `notices` report: every tool of the conversation may be used.',
  )
  sources?: string[];

  @MayBeNull()
  @Flag(
    'Whether the answer has `retrieval_traces`; the stream always has its tool calls. Default: false.',
  )
  explain = false;

  @MayBeNull()
  @BoundedText({ max: 200 })
  model?: string;

  @MayBeNull()
  @Flag('Default: as the user’s settings say.')
  thinking?: boolean;

  @MayBeNull()
  @WholeNumber({
    min: 1_000,
    max: 100_000,
    description: 'Most tokens of one reply of the model. Default: 16000.',
  })
  max_tokens = 16_000;

  @MayBeNull()
  @BoundedText({
    max: 200,
    description: 'The conversation to go on with, as `done` gave it. Without it a new one begins.',
  })
  context_id?: string;

  @MayBeNull()
  @BoundedText({
    max: 64,
    pattern: /^[\w-]+$/,
    expected: "1 to 64 letters, digits, '_' and '-'",
    description: 'A folder in `TURNPIKE_ORACLE_ROOT` that a new conversation works in.',
  })
  project_id?: string;
}

@RequestForm({ listedIn: 'query' })
export class BusyQueryDto {
  @MayBeNull()
  @OneOf(['interrupt', 'reject'], {
    default: 'interrupt',
    description:
      'While another question of the conversation is answered: `interrupt` cancels that one, `reject` gives 409.',
  })
  busy: 'interrupt' | 'reject' = 'interrupt';
}

@RequestForm({ listedIn: 'query' })
export class ContextQueryDto {
  @ApiProperty({ type: String, description: 'The conversation. Default: the newest.' })
  @EmptyIsAbsent()
  @IsString(mustBe('given once'))
  context_id?: string;
}
