import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsNotEmpty, IsString, MaxLength, IsIn, IsInt, Min } from 'class-validator';
import { Transform } from 'class-transformer';
import {
  Flag,
  MayBeNull,
  WholeNumber,
  EmptyIsAbsent,
  Rule,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { anyJson, jsonObject, jsonObjects, nullableText } from '../../http/fields/json-schemas.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { isStorable } from '../../storage/connection.js';
import { AfterQueryDto, PageLimit } from '../../http/paging/page-query.dto.js';

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

const flags = ['true', 'false'] as const;
const orders = ['asc', 'desc'] as const;
const aNumber = mustBe('the sequence_number of an event');

/** The query of `GET /v1/responses/:id`. */
@RequestForm({ namesParam: true })
export class ResponseQueryDto extends AfterQueryDto {
  @ApiPropertyOptional({ enum: flags, description: 'Whether the answer is a stream of events.' })
  @EmptyIsAbsent()
  @IsIn(flags, mustBe('true or false'))
  stream?: (typeof flags)[number];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description:
      'The stream begins after the event of this sequence_number. Absent: with the first.',
  })
  @EmptyIsAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))
  @IsInt(aNumber)
  @Min(0, aNumber)
  starting_after?: number;
}

/** The query of `GET /v1/responses/:id/input_items`. */
@RequestForm({ namesParam: true })
export class InputItemsQueryDto {
  @ApiPropertyOptional({ type: String, description: 'The id of the last item of the page before.' })
  @EmptyIsAbsent()
  @IsString(mustBe('the id of an item'))
  after?: string;

  @PageLimit({ standard: 20, most: 100 })
  limit = 20;

  @ApiPropertyOptional({ enum: orders, default: 'desc' })
  @EmptyIsAbsent()
  @IsIn(orders, mustBe("'asc' or 'desc'"))
  order: (typeof orders)[number] = 'desc';
}

export class ResponseIdDto {
  @ApiProperty({
    type: String,
    description: 'Id of the response.',
    example: 'resp_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11',
  })
  @IsString()
  id!: string;
}

export class InputItemsDto {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty(jsonObjects)
  data!: JsonObject[];

  @ApiProperty(nullableText)
  first_id!: string | null;

  @ApiProperty(nullableText)
  last_id!: string | null;

  @ApiProperty({ type: Boolean })
  has_more!: boolean;
}

export class DeletedResponseDto {
  @ApiProperty({ type: String })
  id!: string;

  @ApiProperty({ enum: ['response'] })
  object!: 'response';

  @ApiProperty({ enum: [true] })
  deleted!: true;
}
