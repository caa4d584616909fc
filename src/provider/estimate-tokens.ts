import type { AssistantPart } from '../storage/shapes/stored-step.js';
import { assertNever } from '../platform/assert-never.js';
import type { Model } from './model.js';
import type { ToolSpec } from '../storage/shapes/stored-options.js';
import { estimateImage, estimatePdf } from './estimate-files.js';
import { foundTools } from './found-tools.js';
import type { ModelMessage, ModelRequest, UserPart } from './model-types.js';

/** The tokenizer's factor of a model. */
export type TokenModel = Pick<Model, 'tokenScale'>;

/** Tokens of the role, kind and ids of a message, a block or a tool. */
const FRAME_TOKENS = 4;

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

/**
 * Tokens of a whole request: its system prompt, tools and messages. A deferred tool counts where a search found it.
 * Pure.
 */
export function estimateRequest(
  { system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  model: TokenModel,
): number {
  const listed = tools.filter((tool) => tool.deferred !== true);
  const searched = listed.length < tools.length;
  const sent = messages.map(
    (message) =>
      FRAME_TOKENS +
      estimateMessage(message, model) +
      (searched && message.role === 'assistant' ? estimateFound(message.parts, tools, model) : 0),
  );
  return (
    estimateText(system, model) +
    estimateTools(listed, model) +
    sent.reduce((sum, tokens) => sum + tokens, 0)
  );
}

/** Tokens of the definitions of tools. Pure. */
export function estimateTools(tools: readonly ToolSpec[], model: TokenModel): number {
  return tools.reduce((sum, { name, description, inputSchema }) => {
    const text = `${name} ${description} ${JSON.stringify(inputSchema)}`;
    return sum + FRAME_TOKENS + estimateText(text, model);
  }, 0);
}

/** Tokens of the definitions that a reply's searches brought into the prompt. Pure. */
export function estimateFound(
  parts: readonly AssistantPart[],
  tools: readonly ToolSpec[],
  model: TokenModel,
): number {
  const names = new Set(parts.flatMap(foundTools));
  if (names.size === 0) return 0;
  return estimateTools(
    tools.filter(({ name, deferred }) => deferred === true && names.has(name)),
    model,
  );
}

/** Tokens of messages that were estimated before: a conversation's requests have most of them in common. */
const estimates = new WeakMap<ModelMessage, { tokenScale: number; tokens: number }>();

function estimateMessage(message: ModelMessage, model: TokenModel): number {
  const { tokenScale } = model;
  const known = estimates.get(message);
  if (known?.tokenScale === tokenScale) return known.tokens;
  const tokens =
    message.role === 'system'
      ? estimateText(message.text, model)
      : estimateParts(message.parts, model);
  estimates.set(message, { tokenScale, tokens });
  return tokens;
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
      return estimatePdf(part.base64, model.tokenScale);
    case 'opaque':
      return estimateText(JSON.stringify(part.block), model);
    default:
      return assertNever(part);
  }
}

/**
 * An estimate of the tokens of a text. There is no tokenizer of current models, but tokens can be
 * estimated from words, their long ends, capitals, digits, punctuation, gaps, and single characters of
 * other scripts. The weights were fitted to the counts of `@anthropic-ai/tokenizer` on prose, code,
 * data and sixteen languages (`estimate-tokens.test.ts`).
 */

/** Kinds of UTF-16 code units. */
const kinds = [
  'lower',
  'upper',
  'accented',
  'digit',
  'space',
  'break',
  'punctuation',
  'han',
  'kana',
  'hangul',
  'cyrillic',
  'greek',
  'arabic',
  'hebrew',
  'indic',
  'thai',
  'emoji',
  'other',
] as const;
type Kind = (typeof kinds)[number];

/** The first code unit of each range, rising, and its kind. */
const ranges: readonly (readonly [number, Kind])[] = [
  [0, 'punctuation'],
  [0x09, 'break'],
  [0x0b, 'punctuation'],
  [0x0d, 'break'],
  [0x0e, 'punctuation'],
  [0x20, 'space'],
  [0x21, 'punctuation'],
  [0x30, 'digit'],
  [0x3a, 'punctuation'],
  [0x41, 'upper'],
  [0x5b, 'punctuation'],
  [0x61, 'lower'],
  [0x7b, 'punctuation'],
  [0xc0, 'accented'],
  [0x370, 'greek'],
  [0x400, 'cyrillic'],
  [0x590, 'hebrew'],
  [0x600, 'arabic'],
  [0x780, 'indic'],
  [0xe00, 'thai'],
  [0x1100, 'hangul'],
  [0x1200, 'thai'],
  [0x1e00, 'accented'],
  [0x2000, 'other'],
  [0x2600, 'emoji'],
  [0x27c0, 'other'],
  [0x3040, 'kana'],
  [0x3100, 'hangul'],
  [0x3400, 'han'],
  [0xa000, 'hangul'],
  [0xd7b0, 'other'],
  // Surrogates: emoji, and rare characters of all scripts.
  [0xd800, 'emoji'],
  [0xe000, 'other'],
  [0xf900, 'han'],
  [0xfb00, 'arabic'],
  [0xfe00, 'other'],
];

/** The kind of each code unit, as an index into `kinds`. */
const kindOf = new Uint8Array(0x1_0000);
ranges.forEach(([first, kind], index) =>
  kindOf.fill(kinds.indexOf(kind), first, ranges[index + 1]?.[0] ?? 0x1_0000),
);

const LOWER = kinds.indexOf('lower');
const UPPER = kinds.indexOf('upper');
const ACCENTED = kinds.indexOf('accented');
const DIGIT = kinds.indexOf('digit');
const SPACE = kinds.indexOf('space');
const BREAK = kinds.indexOf('break');
const PUNCTUATION = kinds.indexOf('punctuation');

/** Letters of a word that are in its first token. */
const WORD_LETTERS = 6;

/** Repetitions of a character above which a token has many of them: rules, indentation. */
const REPEATS = 4;

/** Tokens of a character that stands alone, by kind. */
const single: Readonly<Partial<Record<Kind, number>>> = {
  han: 1.16,
  kana: 1.02,
  hangul: 1.43,
  cyrillic: 0.63,
  greek: 1.33,
  arabic: 1.07,
  hebrew: 1.13,
  indic: 1.35,
  thai: 1.78,
  emoji: 1.65,
  other: 0.6,
};
const singles = Float64Array.from(kinds, (kind) => single[kind] ?? 0);

const word = 1.02;
const letterBeyond = 0.39;
const capital = 0.28;
const accent = 1.45;
const digit = 0.4;
const number = 0.5;
const mark = 0.32;
const marks = 0.47;
const gap = 0.47;
const repeated = 0.03;

/**
 * Estimates the tokens of a text by the tokenizer of models up to 4.6; for others, multiply by
 * `Model.tokenScale`. Within 25 % on prose, code, data and the scripts above. Linear in the length.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let before = SPACE;
  let lastUnit = -1;
  let same = 0;
  let letters = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const kind = kindOf[unit] ?? PUNCTUATION;
    same = unit === lastUnit ? same + 1 : 1;
    lastUnit = unit;
    const isInWord = before === LOWER || before === UPPER || before === ACCENTED;
    if (same > REPEATS && singles[kind] === 0) tokens += repeated;
    else if (kind === LOWER) {
      letters = isInWord ? letters + 1 : 1;
      if (!isInWord) tokens += word;
      else if (before !== UPPER && letters > WORD_LETTERS) tokens += letterBeyond;
    } else if (kind === UPPER) {
      tokens += before === UPPER ? capital : word;
      letters = 1;
    } else if (kind === ACCENTED) {
      letters = isInWord ? letters + 1 : 1;
      tokens += accent;
    } else if (kind === DIGIT) tokens += before === DIGIT ? digit : digit + number;
    else if (kind === PUNCTUATION) tokens += before === PUNCTUATION ? mark : mark + marks;
    else if (kind === SPACE) tokens += same === 2 ? gap : 0;
    else if (kind === BREAK) tokens += before === BREAK ? 0 : gap;
    else tokens += singles[kind] ?? 0;
    before = kind;
  }
  return Math.ceil(tokens);
}
