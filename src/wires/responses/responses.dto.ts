import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsNotEmpty, IsString, MaxLength, IsIn, IsInt, Min } from 'class-validator';
import { Transform } from 'class-transformer';
import {
  AfterQueryDto,
  anyJson,
  EmptyIsAbsent,
  Flag,
  jsonObject,
  jsonObjects,
  MayBeNull,
  mustBe,
  PageLimit,
  RequestForm,
  Rule,
  says,
  whole,
  WholeNumber,
} from '../../http/face.js';
import { isPlainObject, type JsonObject } from '../../platform/face.js';
import { isStorable } from '../../storage/face.js';
import { responseErrorTypes, type ResponseErrorType } from './dialect/response-frames.js';

const MAX_NAME_CHARS = 256;
/** Clients write the first one in two ways. */
const retentions = ['in_memory', 'in-memory', '24h'] as const;
const aName = mustBe(`text of 1 to ${MAX_NAME_CHARS} characters, or left out`);
const filled = mustBe('text, or left out');

/** A text that is kept and given back, and means nothing to the server. */
function Echoed() {
  const isKept = (value: unknown): boolean => typeof value === 'string' && isStorable(value);
  return applyDecorators(
    ApiProperty({ maxLength: MAX_NAME_CHARS }),
    MayBeNull(),
    IsString(aName),
    MaxLength(MAX_NAME_CHARS, aName),
    Rule('isStorable', isKept, aName),
  );
}

/**
 * A field that would change what a response is, and that the server has no option for.
 *
 * @param allowed values that change nothing, beside null.
 */
function Only(
  allowed: readonly (string | number)[],
  why: string,
  schema: object = allowed.length === 0
    ? { ...anyJson, nullable: true }
    : { type: typeof allowed[0] },
) {
  const names = allowed.map((one) => (typeof one === 'string' ? `\`${one}\`` : one));
  const values = [...allowed.map((one) => JSON.stringify(one)), 'left out'].join(' or ');
  const words = says(`'$field' must be ${values}: ${why}.`);
  return applyDecorators(
    ApiProperty({ description: `${names.join(' or ') || 'null'}.`, ...schema }),
    MayBeNull(),
    Rule('isAllowed', (value) => allowed.some((one) => one === value), words),
  );
}

const noSampling = 'the models of this server are not given it';

/** The body of `POST /v1/responses`: its fields, of which `response-request.ts` makes a turn. */
@RequestForm({ closed: 'The request body', namesParam: true })
export class CreateResponseDto {
  /** Name of an agent, or of a model. Default: the previous response’s, or the server’s. */
  @MayBeNull()
  @IsString(aName)
  @IsNotEmpty(aName)
  @MaxLength(MAX_NAME_CHARS, aName)
  model?: string;

  /** Text, or items. */
  @ApiProperty({ oneOf: [{ type: 'string' }, jsonObjects] })
  @Allow()
  input!: unknown;

  /** What the application says to the model, in this response alone. */
  @MayBeNull()
  @IsString(filled)
  instructions?: string;

  /** The response to go on from. */
  @MayBeNull()
  @IsString(filled)
  previous_response_id?: string;

  /** Whether the answer is a stream of events. Default: false. */
  @MayBeNull()
  @Flag()
  stream?: boolean;

  /** Whether the turn goes on without readers; without a stream, it is answered at once. */
  @MayBeNull()
  @Flag()
  background?: boolean;

  /** Tools of the types function, custom and namespace. */
  @ApiPropertyOptional(jsonObjects)
  @Allow()
  tools?: unknown;

  /** effort, summary. */
  @ApiPropertyOptional(jsonObject)
  @MayBeNull()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  reasoning?: Record<string, unknown>;

  /** format, verbosity. */
  @ApiPropertyOptional(jsonObject)
  @MayBeNull()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  text?: Record<string, unknown>;

  /** Most tokens of each reply of the model. */
  @MayBeNull()
  @WholeNumber({ min: 1, max: 1_000_000 })
  max_output_tokens?: number;

  /** At most 16 texts, which responses give back. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' } })
  @MayBeNull()
  @Rule(
    'isMetadata',
    isMetadata,
    mustBe('an object of at most 16 texts: names of 1 to 64 characters, values of at most 512'),
  )
  metadata?: Record<string, string>;

  /** The client’s own name of its user. */
  @Echoed() user?: string;

  /** The client’s own name of its user. */
  @Echoed() safety_identifier?: string;

  /** Kept; the server’s requests are cached without it. */
  @Echoed() prompt_cache_key?: string;

  /** Whether the response can be asked for once it has ended. Default: true. */
  @MayBeNull()
  @Flag()
  store?: boolean;

  /** Whether the model may ask for several calls at once. Default: true. */
  @MayBeNull()
  @Flag()
  parallel_tool_calls?: boolean;

  /** Parts to add to the response. Known names have no effect, others are refused. */
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' } })
  @Allow()
  include?: unknown;

  /** Without effect. */
  @ApiPropertyOptional(anyJson)
  @Allow()
  client_metadata?: unknown;

  /** Without effect: deltas have no obfuscation, and the end has the usage. */
  @ApiPropertyOptional(jsonObject)
  @MayBeNull()
  @Rule('isStreamOptions', isStreamOptions, mustBe('an object with include_obfuscation'))
  stream_options?: unknown;

  /** Kept; the agent's file says how long the provider caches. */
  @ApiProperty({ enum: retentions })
  @MayBeNull()
  @IsIn(retentions, mustBe("'in_memory' or '24h'"))
  prompt_cache_retention?: (typeof retentions)[number];

  /** Without effect, but for `prewarm`, which is refused. */
  @ApiPropertyOptional(jsonObject)
  @MayBeNull()
  @Rule(
    'isCacheOptions',
    isCacheOptions,
    says(
      "'$field' must be an object without prewarm: the server makes no request without a reply.",
    ),
  )
  prompt_cache_options?: unknown;

  // The last fields, as their faults are told after those of all others.

  @Only(
    ['auto', 'none'],
    'the model cannot be made to call a tool; leave out tools that it must not call',
  )
  tool_choice?: 'auto' | 'none';

  @Only(
    ['auto', 'default', 'flex'],
    "there are two: 'default', and 'flex', whose turns run when no other waits",
    { type: String, description: '`auto`, `default`; `flex`: after other turns.' },
  )
  service_tier?: 'auto' | 'default' | 'flex';

  // With `disabled`, OpenAI's default, only what is too long would differ: that is summarised here.
  @Only(
    ['auto', 'disabled'],
    'a long conversation is summarised, and no request fails for its length alone',
  )
  truncation?: 'auto' | 'disabled';

  @Only([1], noSampling) temperature?: unknown;

  @Only([1], noSampling) top_p?: unknown;

  @Only([0], noSampling) presence_penalty?: unknown;

  @Only([0], noSampling) frequency_penalty?: unknown;

  @Only([0], 'the models of this server give none') top_logprobs?: unknown;

  @Only([], "limits of calls are in the agent's file; 'max_output_tokens' bounds each reply", {
    type: Number,
    nullable: true,
  })
  max_tool_calls?: unknown;

  @Only([], "a conversation goes on with 'previous_response_id', or is sent whole as 'input'")
  conversation?: unknown;

  @Only([], "the server keeps no prompts; 'instructions' or an agent's file say what they would")
  prompt?: unknown;

  @Only([], 'the server itself summarises a long conversation') context_management?: unknown;

  @Only([], 'the server checks nothing beside the model') moderation?: unknown;
}

const MAX_ENTRIES = 16;
const MAX_KEY_CHARS = 64;
const MAX_VALUE_CHARS = 512;

function isMetadata(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_ENTRIES &&
    entries.every(
      ([key, text]) =>
        key !== '' &&
        key.length <= MAX_KEY_CHARS &&
        typeof text === 'string' &&
        text.length <= MAX_VALUE_CHARS,
    )
  );
}

function isStreamOptions(value: unknown): boolean {
  const known = ['include_obfuscation', 'include_usage'];
  return (
    isPlainObject(value) &&
    Object.entries(value).every(([key, flag]) => known.includes(key) && typeof flag === 'boolean')
  );
}

function isCacheOptions(value: unknown): boolean {
  return isPlainObject(value) && value['prewarm'] !== true;
}

const flags = ['true', 'false'] as const;
const orders = ['asc', 'desc'] as const;
const aNumber = mustBe('the sequence_number of an event');

/** The query of `GET /v1/responses/:id`. */
@RequestForm({ namesParam: true })
export class ResponseQueryDto extends AfterQueryDto {
  /** Whether the answer is a stream of events. */
  @ApiPropertyOptional({ enum: flags })
  @EmptyIsAbsent()
  @IsIn(flags, mustBe('true or false'))
  stream?: (typeof flags)[number];

  /** The stream begins after the event of this sequence_number. Absent: with the first. */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  @EmptyIsAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))
  @IsInt(aNumber)
  @Min(0, aNumber)
  starting_after?: number;
}

/** The query of `GET /v1/responses/:id/input_items`. */
@RequestForm({ namesParam: true })
export class InputItemsQueryDto {
  /** The id of the last item of the page before. */
  @EmptyIsAbsent()
  @IsString(mustBe('the id of an item'))
  after?: string;

  @PageLimit({ standard: 20, most: 100 }) limit = 20;

  @ApiPropertyOptional({ enum: orders, default: 'desc' })
  @EmptyIsAbsent()
  @IsIn(orders, mustBe("'asc' or 'desc'"))
  order: (typeof orders)[number] = 'desc';
}

export class ResponseIdDto {
  /**
   * Id of the response.
   *
   * @example resp_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11
   */
  @ApiProperty({ type: String })
  @IsString()
  id!: string;
}

export class InputItemsDto {
  @ApiProperty({ enum: ['list'] }) object!: 'list';

  @ApiProperty(jsonObjects) data!: JsonObject[];

  first_id!: string | null;

  last_id!: string | null;

  has_more!: boolean;
}

export class DeletedResponseDto {
  id!: string;

  @ApiProperty({ enum: ['response'] }) object!: 'response';

  @ApiProperty({ enum: [true] }) deleted!: true;
}

export class ResponseModelDto {
  /** What `model` of a request may be. */
  id!: string;

  @ApiProperty({ enum: ['model'] }) object!: 'model';

  /** Without meaning here: 0. */
  @ApiProperty(whole) created!: number;

  /** Whether it is an agent or a model. */
  @ApiProperty({ enum: ['agent', 'model'] }) owned_by!: 'agent' | 'model';
}

export class ResponseModelListDto {
  @ApiProperty({ enum: ['list'] }) object!: 'list';

  data!: ResponseModelDto[];
}

export class ResponsesErrorDto {
  message!: string;

  @ApiProperty({ enum: responseErrorTypes }) type!: ResponseErrorType;

  /** The field that is wrong. */
  param!: string | null;

  /** Code of the table of errors. */
  code!: string;

  /** Id of the request, for the server’s log. */
  correlationId!: string;
}

export class ResponsesErrorEnvelopeDto {
  error!: ResponsesErrorDto;
}
