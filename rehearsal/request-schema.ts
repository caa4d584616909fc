import * as z from 'zod';
import { imageKindOf, isBase64, isPdf } from './media/files.js';
import { effortLevels } from './models/profiles.js';
import { isPlainObject, type JsonObject } from './json.js';
import type { RuleId } from './rules/strict-rules.js';

/** What a check says of itself: the rule that is broken, and whether its message names the field. */
export interface CheckParams {
  rule: RuleId;
  isNamed: boolean;
}

/** A check whose refusal has a rule and words of its own. */
function broken(rule: RuleId, message: string | ((input: never) => string), isNamed = true) {
  const error = ({ input }: { input: unknown }): string =>
    typeof message === 'string' ? message : message(input as never);
  return { error, params: { rule, isNamed } satisfies CheckParams };
}

const toolId = /^[a-zA-Z0-9_-]+$/;
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

export const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();

/** Text with more than whitespace in it. */
const written = z.string().regex(/\S/);

export const textBlock = z.object({
  type: z.literal('text'),
  text: written,
  citations: z.array(z.unknown()).nullish(),
  cache_control: cacheControl,
});

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
/** Most characters of an image's base64, which the API measures. */
const maxImageBytes = 10 * 1024 * 1024;

const base64 = z
  .string()
  .refine((data) => data !== '' && isBase64(data), broken('request-shape', 'Invalid base64 data'));

interface ImageFile {
  media_type: (typeof imageTypes)[number];
  data: string;
}

const imageFile = z
  .object({ type: z.literal('base64'), media_type: z.enum(imageTypes), data: base64 })
  .refine(({ data }) => data.length <= maxImageBytes, {
    ...broken('image-bytes', ({ data }: ImageFile) => {
      return `image exceeds 10 MB maximum: ${data.length} bytes > ${maxImageBytes} bytes`;
    }),
    abort: true,
  })
  .refine((file) => imageKindOf(file.data) !== undefined, {
    ...broken('image-type', 'Could not process image', false),
    abort: true,
  })
  .refine(
    (file) => imageKindOf(file.data) === file.media_type,
    broken(
      'image-type',
      (file: ImageFile) =>
        `The image was specified using the ${file.media_type} media type, ` +
        `but the image appears to be a ${imageKindOf(file.data)} image`,
    ),
  );

const elsewhere = z.object({ type: z.enum(['url', 'file']) });

const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [imageFile, elsewhere]),
  cache_control: cacheControl,
});

const documentBlock = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: base64.refine(isPdf, broken('pdf-type', 'The PDF specified was not valid.')),
    }),
    z.object({ type: z.literal('text'), media_type: z.string(), data: z.string().min(1) }),
    z.object({ type: z.literal('content') }),
    elsewhere,
  ]),
  title: z.string().nullish(),
  citations: z.object({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
});

const opaqueBlockTypes = [
  'search_result',
  'container_upload',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
] as const;

/** Calls (`id`, `name`) and results (`tool_use_id`) of server tools, and files: what is in them is not validated. */
export const opaqueBlock = z.object({
  type: z.enum(opaqueBlockTypes),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  cache_control: cacheControl,
});

/** A tool that a search of the client's own has found: its definition is in the prompt from here on. */
export const toolReference = z.object({
  type: z.literal('tool_reference'),
  tool_name: z.string().regex(toolName),
  cache_control: cacheControl,
});

/** The content of a search's result that found tools, or none. */
export const foundTools = z.object({
  tool_references: z.array(z.object({ tool_name: z.string() })),
});

const resultBlocks = [textBlock, imageBlock, documentBlock, opaqueBlock, toolReference] as const;

const resultFields = {
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(toolId),
  cache_control: cacheControl,
};

/** Lists come first in unions with text: most content is one, and a failed member costs more than the other. */
const toolResult = z.discriminatedUnion('is_error', [
  z.object({
    ...resultFields,
    is_error: z.literal(false).optional(),
    content: z.union([z.array(z.discriminatedUnion('type', resultBlocks)), z.string()]).optional(),
  }),
  z.object({
    ...resultFields,
    is_error: z.literal(true),
    content: z.union([
      z.array(z.discriminatedUnion('type', [textBlock])).min(1),
      z.string().min(1),
    ]),
  }),
]);

export const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().regex(toolId),
  name: z.string().min(1),
  input: z.custom<JsonObject>(isPlainObject, 'Input should be an object'),
  cache_control: cacheControl,
});

export const thinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
  cache_control: z.undefined().optional(),
});

export const redactedThinkingBlock = z.object({
  type: z.literal('redacted_thinking'),
  data: z.string(),
  cache_control: z.undefined().optional(),
});

/** Text as the whole content of a message. An empty one is an empty message, which has a rule of its own. */
const onlyText = z.string().regex(/^$|\S/);

const userBlocks = [textBlock, toolResult, imageBlock, documentBlock, opaqueBlock] as const;
const assistantBlocks = [
  textBlock,
  toolUse,
  thinkingBlock,
  redactedThinkingBlock,
  opaqueBlock,
  // Taken in version 2023-06-01, in any form.
  z.object({ type: z.literal('document') }),
] as const;
/** Text alone, but as a union, so that another type is a block in the wrong place. */
const systemBlocks = z.array(z.discriminatedUnion('type', [textBlock]));

const message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.union([z.array(z.discriminatedUnion('type', userBlocks)), onlyText]),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.union([z.array(z.discriminatedUnion('type', assistantBlocks)), onlyText]),
  }),
  z.object({ role: z.literal('system'), content: z.union([systemBlocks, onlyText]) }),
]);

const unions = ['oneOf', 'allOf', 'anyOf'] as const;

const clientTool = z.object({
  type: z.literal('custom').nullish(),
  name: z.string().regex(toolName),
  description: z.string().optional(),
  input_schema: z
    .custom<JsonObject>(isPlainObject, broken('tool-schema', 'Field required'))
    .refine(({ type }) => type === 'object', {
      ...broken('tool-schema', "Input should be 'object'"),
      path: ['type'],
    })
    .refine(
      (schema) => unions.every((key) => schema[key] === undefined),
      broken(
        'tool-schema',
        'input_schema does not support oneOf, allOf, or anyOf at the top level',
      ),
    ),
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  cache_control: cacheControl,
});

/** The API keeps the schema of its own tools: whatever else a request says of one is refused. */
const memoryTool = z.strictObject({
  type: z.literal('memory_20250818'),
  name: z.literal('memory'),
  allowed_callers: z.unknown().optional(),
  cache_control: cacheControl,
  defer_loading: z.boolean().optional(),
  input_examples: z.unknown().optional(),
  strict: z.boolean().optional(),
});

/** Any other tool of the API, by its name and date. */
const serverTool = z.object({
  type: z
    .string()
    .refine((type) => type !== 'custom' && type !== 'memory_20250818', { abort: true }),
  name: z.string().regex(toolName),
  defer_loading: z.boolean().optional(),
  strict: z.boolean().optional(),
  cache_control: cacheControl,
});

const display = z.enum(['summarized', 'omitted', 'updates']).nullish();
const blockBinding = z
  .object({ prefix_mismatch_behavior: z.enum(['error', 'drop_block']).nullish() })
  .nullish();
/** The smallest budget of `enabled` thinking. */
const minBudget = 1_024;

const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), display, block_binding: blockBinding }),
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().refine((budget) => budget >= minBudget, {
      ...broken('thinking-budget', `Input should be greater than or equal to ${minBudget}`),
    }),
    display,
    block_binding: blockBinding,
  }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const format = z.strictObject({
  type: z.literal('json_schema'),
  schema: z.custom<JsonObject>(isPlainObject, 'Input should be an object'),
});

/** The most messages of a request. */
const maxMessages = 100_000;

/**
 * A request of `POST /v1/messages`, as far as each field can be judged by itself. Fields of blocks and tools that it
 * does not name may be there; of the request itself there are no others (`checkFields`).
 */
export const requestSchema = z.object({
  model: z.string().min(1),
  max_tokens: z.int().min(0),
  system: z.union([systemBlocks, z.string()]).optional(),
  tools: z.array(z.union([clientTool, memoryTool, serverTool])).optional(),
  tool_choice: z
    .object({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  messages: z
    .array(message)
    .refine(({ length }) => length > 0, broken('request-shape', 'at least one message is required'))
    .refine(({ length }) => length <= maxMessages, {
      ...broken('message-count', `at most ${maxMessages} messages are allowed`),
    }),
  thinking: thinking.optional(),
  output_config: z
    .strictObject({ effort: z.enum(effortLevels).nullish(), format: format.nullish() })
    .optional(),
  cache_control: cacheControl,
  container: z.unknown().optional(),
  diagnostics: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  metadata: z.unknown().optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  speed: z.enum(['standard', 'fast']).nullish(),
});
