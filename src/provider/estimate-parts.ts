import { assertNever } from '../platform/assert-never.js';
import { estimateTokens } from './estimate-tokens.js';
import { imageSize } from './image-size.js';
import type { AssistantPart, ModelMessage, ModelRequest, UserPart } from './model-types.js';

/** What of a model its counting depends on. */
export interface TokenModel {
  /** See `Model`. */
  tokenScale: number;
}

/** Around a message, a block or a tool: role, kind and ids. */
const FRAME_TOKENS = 4;

/**
 * Pixels of one token, and the most tokens of one image, to which a larger one is shrunk: the
 * provider's guide to vision (`build-with-claude/vision`), for models of high resolution.
 */
const PIXELS_PER_TOKEN = 750;
const MOST_IMAGE_TOKENS = 4_784;

/** Of an image that does not say its size: one that is not shrunk, at most, on older models. */
const UNKNOWN_IMAGE_TOKENS = 1_600;

/**
 * A page is counted as its text and as an image (`build-with-claude/pdf-support`: 1,500 to 3,000
 * tokens of text, and what an image costs).
 */
const PAGE_TEXT_TOKENS = 2_250;
const PAGE_IMAGE_TOKENS = 1_600;

/** Bytes taken for a page of a PDF that hides how many it has. */
const BYTES_PER_PAGE = 50_000;

/** Tokens of parts of a message, whoever said them. Pure. */
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
    const said = `${name} ${description} ${JSON.stringify(inputSchema)}`;
    return FRAME_TOKENS + estimateText(said, model);
  });
  const said = messages.map((message) => FRAME_TOKENS + estimateMessage(message, model));
  return estimateText(system, model) + [...listed, ...said].reduce((sum, one) => sum + one, 0);
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
    // Its signature costs nothing beside it.
    case 'thinking':
      return estimateText(part.thinking, model);
    case 'redacted_thinking':
      return estimateText(part.data, model);
    case 'tool_use':
      return estimateText(`${part.name} ${JSON.stringify(part.input)}`, model);
    case 'tool_result':
      return estimateText(part.output, model);
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
  const told = Math.max(listed, ...counts);
  const pages = told > 0 ? told : Math.ceil(text.length / BYTES_PER_PAGE);
  return Math.ceil(pages * (PAGE_TEXT_TOKENS * tokenScale + PAGE_IMAGE_TOKENS));
}
