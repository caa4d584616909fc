import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { Flag, MayBeNull, WholeNumber } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { anyJson, jsonObject, jsonObjects } from '../../http/fields/json-schemas.js';
import { Rule } from '../../http/fields/rule.decorator.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { isPlainObject } from '../../platform/json.js';
import { isStorable } from '../../storage/connection.js';

const LONGEST_NAME = 256;
const aName = mustBe(`text of 1 to ${LONGEST_NAME} characters, or left out`);
const filled = mustBe('text, or left out');

/** A text that is kept and given back, and means nothing to the server. */
function Echoed(description: string) {
  return (target: object, name: string): void => {
    ApiPropertyOptional({ type: String, maxLength: LONGEST_NAME, description })(target, name);
    MayBeNull()(target, name);
    IsString(aName)(target, name);
    MaxLength(LONGEST_NAME, aName)(target, name);
    Rule(
      'isStorable',
      (value) => typeof value === 'string' && isStorable(value),
      aName,
    )(target, name);
  };
}

/** A field that only some values may have: `response-request.ts` says which, and why. */
function Checked(schema: object) {
  return (target: object, name: string): void => {
    ApiPropertyOptional(schema)(target, name);
    Allow()(target, name);
  };
}

/** The body of `POST /v1/responses`: its fields, of which `response-request.ts` makes a turn. */
@RequestForm({ closed: 'The request body', namesParam: true })
export class CreateResponseDto {
  @ApiPropertyOptional({
    type: String,
    description:
      'Name of an agent, or of a model. Default: the previous response’s, or the server’s.',
  })
  @MayBeNull()
  @IsString(aName)
  @IsNotEmpty(aName)
  @MaxLength(LONGEST_NAME, aName)
  model?: string;

  @ApiProperty({ oneOf: [{ type: 'string' }, jsonObjects], description: 'Text, or items.' })
  @Allow()
  input!: unknown;

  @ApiPropertyOptional({
    type: String,
    description: 'What the application says to the model, in this response alone.',
  })
  @MayBeNull()
  @IsString(filled)
  instructions?: string;

  @ApiPropertyOptional({ type: String, description: 'The response to go on from.' })
  @MayBeNull()
  @IsString(filled)
  previous_response_id?: string;

  @MayBeNull()
  @Flag('Whether the answer is a stream of events. Default: false.')
  stream?: boolean;

  @MayBeNull()
  @Flag('Whether the turn goes on without readers; without a stream, it is answered at once.')
  background?: boolean;

  @ApiPropertyOptional({ ...jsonObjects, description: 'Tools of the types function and custom.' })
  @Allow()
  tools?: unknown;

  @ApiPropertyOptional({ ...jsonObject, description: 'effort, summary.' })
  @MayBeNull()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  reasoning?: Record<string, unknown>;

  @ApiPropertyOptional({ ...jsonObject, description: 'format, verbosity.' })
  @MayBeNull()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  text?: Record<string, unknown>;

  @MayBeNull()
  @WholeNumber({ min: 1, max: 1_000_000, description: 'Most tokens of each reply of the model.' })
  max_output_tokens?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'At most 16 texts, which responses give back.',
  })
  @MayBeNull()
  @Rule(
    'isMetadata',
    isMetadata,
    mustBe('an object of at most 16 texts: names of 1 to 64 characters, values of at most 512'),
  )
  metadata?: Record<string, string>;

  @Echoed('The client’s own name of its user.')
  user?: string;

  @Echoed('The client’s own name of its user.')
  safety_identifier?: string;

  @Echoed('Kept; the server’s requests are cached without it.')
  prompt_cache_key?: string;

  @Checked({ type: String, description: '`auto` or `none`.' })
  tool_choice?: unknown;

  @Checked({ type: String, description: '`auto`, `default`; `flex`: after other turns.' })
  service_tier?: unknown;

  @MayBeNull()
  @Flag('Whether the response can be asked for once it has ended. Default: true.')
  store?: boolean;

  @MayBeNull()
  @Flag('Whether the model may ask for several calls at once. Default: true.')
  parallel_tool_calls?: boolean;

  @Checked({ type: String, description: '`auto` or `disabled`.' })
  truncation?: unknown;

  @Checked({ type: Number, description: '1.' })
  temperature?: unknown;

  @Checked({ type: Number, description: '1.' })
  top_p?: unknown;

  @Checked({ type: Number, description: '0.' })
  presence_penalty?: unknown;

  @Checked({ type: Number, description: '0.' })
  frequency_penalty?: unknown;

  @Checked({ type: Number, description: '0.' })
  top_logprobs?: unknown;

  @Checked({ type: Number, nullable: true, description: 'null.' })
  max_tool_calls?: unknown;

  @Checked({ type: 'array', items: { type: 'string' }, description: 'Without effect.' })
  include?: unknown;

  @Checked({ ...anyJson, description: 'Without effect.' })
  client_metadata?: unknown;

  @Checked({ ...anyJson, description: 'Without effect.' })
  stream_options?: unknown;

  @Checked({ ...anyJson, description: 'Without effect.' })
  prompt_cache_retention?: unknown;

  @Checked({ ...anyJson, description: 'Without effect.' })
  prompt_cache_options?: unknown;

  @Checked({ ...anyJson, nullable: true, description: 'null.' })
  conversation?: unknown;

  @Checked({ ...anyJson, nullable: true, description: 'null.' })
  prompt?: unknown;

  @Checked({ ...anyJson, nullable: true, description: 'null.' })
  context_management?: unknown;

  @Checked({ ...anyJson, nullable: true, description: 'null.' })
  moderation?: unknown;
}

const MOST_ENTRIES = 16;
const LONGEST_KEY = 64;
const LONGEST_VALUE = 512;

function isMetadata(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MOST_ENTRIES &&
    entries.every(
      ([key, text]) =>
        key !== '' &&
        key.length <= LONGEST_KEY &&
        typeof text === 'string' &&
        text.length <= LONGEST_VALUE,
    )
  );
}
