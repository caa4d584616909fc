import type { AssistantPart } from '../storage/shapes/stored-part.js';
import { assertNever } from '../platform/assert-never.js';
import { estimateTokens } from './estimate-tokens.js';
import { imageSize } from './image-size.js';
import type { Model } from './model.js';
import type { ModelMessage, ModelRequest, UserPart } from './model-types.js';

/** The tokenizer's factor of a model. */
export type TokenModel = Pick<Model, 'tokenScale'>;

/** Tokens of the role, kind and ids of a message, a block or a tool. */
const FRAME_TOKENS = 4;

/**
 * Pixels of one token, and most tokens of one image: the provider shrinks larger images. From its
 * guide to vision (`build-with-claude/vision`), for models of high resolution.
 */
const PIXELS_PER_TOKEN = 750;
const MOST_IMAGE_TOKENS = 4_784;

/** Tokens of an image of unknown size: the most that an older model takes of an image. */
const UNKNOWN_IMAGE_TOKENS = 1_600;

/**
 * Tokens of a page: it counts as its text and as an image (`build-with-claude/pdf-support`: 1,500 to
 * 3,000 tokens of text, and the tokens of an image).
 */
const PAGE_TEXT_TOKENS = 2_250;
const PAGE_IMAGE_TOKENS = 1_600;

/** Bytes taken for a page of a PDF whose number of pages is compressed. */
const BYTES_PER_PAGE = 50_000;

/** Tokens of the parts of a message. Pure. */
export function estimateParts(
  parts: readonly (UserPart | AssistantPart)[],
  model: TokenModel,
): number {
  return parts.reduce((sum, part) => sum + FRAME_TOKENS + estimatePart(part, model), 0);
}

/** Tokens of a text by the model's own tokenizer. */
export function estimateText(text: string, { tokenScale }: TokenModel): number {
  return Math.ceil(estimateTokens(text) * tokenScale);
}

/** Tokens of a whole request: its system prompt, tools and messages. Pure. */
export function estimateRequest(
  { system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  model: TokenModel,
): number {
  const listed = tools.map(({ name, description, inputSchema }) => {
    const text = `${name} ${description} ${JSON.stringify(inputSchema)}`;
    return FRAME_TOKENS + estimateText(text, model);
  });
  const sent = messages.map((message) => FRAME_TOKENS + estimateMessage(message, model));
  return (
    estimateText(system, model) + [...listed, ...sent].reduce((sum, tokens) => sum + tokens, 0)
  );
}

function estimateMessage(message: ModelMessage, model: TokenModel): number {
  return message.role === 'system'
    ? estimateText(message.text, model)
    : estimateParts(message.parts, model);
}

function estimatePart(part: UserPart | AssistantPart, model: TokenModel): number {
  switch (part.type) {
    case 'text':
      return estimateText(part.text, model);
    case 'thinking':
      // The signature is not counted by the provider.
      return estimateText(part.thinking, model);
    case 'redacted_thinking':
      return estimateText(part.data, model);
    case 'tool_use':
      return estimateText(`${part.name} ${JSON.stringify(part.input)}`, model);
    case 'tool_result':
      return estimateText(part.output, model) + estimateParts(part.files ?? [], model);
    case 'document':
      return estimateText(`${part.title} ${part.text}`, model);
    case 'image':
      return estimateImage(part.base64);
    case 'pdf':
      return estimatePdf(part.base64, model);
    case 'opaque':
      return estimateText(JSON.stringify(part.block), model);
    default:
      return assertNever(part);
  }
}

function estimateImage(base64: string): number {
  const size = imageSize(base64);
  if (size === undefined) return UNKNOWN_IMAGE_TOKENS;
  return Math.min(MOST_IMAGE_TOKENS, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN));
}

function estimatePdf(base64: string, { tokenScale }: TokenModel): number {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const listed = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  const counts = [...text.matchAll(/\/Count\s+(\d{1,6})/g)].map(([, count]) => Number(count));
  const found = Math.max(listed, ...counts);
  const pages = found > 0 ? found : Math.ceil(text.length / BYTES_PER_PAGE);
  return Math.ceil(pages * (PAGE_TEXT_TOKENS * tokenScale + PAGE_IMAGE_TOKENS));
}
