import type { Directive } from '../directives/parse-directives.js';
import type { ModelProfile } from '../models/profiles.js';
import { blocksOf, isThinkingBlock, type MessagesRequest } from '../request-types.js';
import type { ReplyBlock } from '../reply/reply-plan.js';
import { numberedWords } from '../reply/extract-turn.js';
import { PrefixBuilder, idOf, parseSignature, signThinking } from './sign-thinking.js';
import { thinkingOf, type ThinkingMode } from './check-thinking.js';

/** Words that a model with `enabled` thinks at the start of a turn by itself. */
const MIN_THOUGHT_WORDS = 2;

interface ThinkingInput {
  /** The request without dropped thinking. */
  request: MessagesRequest;
  profile: ModelProfile;
  directives: readonly Directive[];
  /** The number of the reply in the turn, from 1. */
  step: number;
  /** Makes the id of the reply. */
  newId: (prefix: string) => string;
}

/**
 * The thinking blocks at the start of a reply: those that directives ask for, where the request lets
 * the model think. Each is signed for its conversation.
 */
export function planThinkingBlocks(input: ThinkingInput): ReplyBlock[] {
  const { request, profile, directives } = input;
  const mode = thinkingOf(request, profile);
  const sign = lazily(() => signer(input));
  const blocks: ReplyBlock[] = [];
  const add = (deltas: string[], isShown: boolean): void => {
    const signature = sign(isShown ? deltas.join('') : '');
    blocks.push({ type: 'thinking', deltas, isShown, signature });
  };
  const words = mode.on ? wordsOf(input, mode) : 0;
  if (words > 0) add(numberedWords('thought', words), mode.display === 'summarized');
  if (mode.on && directives.some(({ name }) => name === 'redact')) {
    blocks.push({ type: 'redacted_thinking', deltas: ['hidden'], data: sign('') });
  }
  const update = directives.find((directive) => directive.name === 'update');
  if (update && profile.thinking.includes('between_tools')) {
    // Updates are hidden by `omitted` alone, which applies only with thinking on.
    add(numberedWords('update', update.count), !mode.on || mode.display !== 'omitted');
  }
  return blocks;
}

function wordsOf({ directives, step }: ThinkingInput, mode: ThinkingMode): number {
  const think = directives.find((directive) => directive.name === 'think');
  const isBegun = mode.kind === 'enabled' && step === 1;
  return think?.count ?? (isBegun ? MIN_THOUGHT_WORDS : 0);
}

/** Makes the signer at its first use: it takes the whole conversation. */
function lazily(make: () => (text: string) => string): (text: string) => string {
  let made: ((text: string) => string) | undefined;
  return (text) => {
    made ??= make();
    return made(text);
  };
}

/** A function that signs the blocks of the reply in order. */
function signer({ request, profile, newId }: ThinkingInput): (text: string) => string {
  const builder = new PrefixBuilder(request);
  let after = '';
  let depth = 0;
  for (const message of request.messages) {
    builder.addMessage(message);
    for (const block of blocksOf(message)) {
      if (!isThinkingBlock(block)) continue;
      const claim = parseSignature(block);
      if (typeof claim === 'string') continue;
      after = claim.id;
      depth += 1;
    }
  }
  const { prefix } = builder;
  const reply = newId('reply');
  let index = 0;
  return (text) => {
    const claim = { model: profile.id, reply, index, after, depth, prefix };
    const signature = signThinking(claim, text);
    after = idOf(signature);
    depth += 1;
    index += 1;
    return signature;
  };
}
