import type { Directive } from '../directives/parse-directives.js';
import type { ModelProfile } from '../models/model-profile.js';
import { blocksOf, isThinkingBlock, type MessagesRequest } from '../request-types.js';
import type { ReplyBlock } from '../reply/reply-plan.js';
import { numberedWords } from '../reply/write-replies.js';
import { PrefixReader } from './canonical-prefix.js';
import { idOf, readSignature, signThinking } from './sign-thinking.js';
import { thinkingOf, type ThinkingMode } from './thinking-mode.js';

/** What a model with `enabled` thinks at the start of a turn, asked or not. */
const leastThought = 2;

interface Thinker {
  /** As the model sees it. */
  request: MessagesRequest;
  profile: ModelProfile;
  directives: readonly Directive[];
  /** The reply that is due in the turn, from 1. */
  step: number;
  /** Makes the id that tells the reply from all others. */
  newId: (prefix: string) => string;
}

/**
 * The thinking that a reply begins with: what directives ask for, where the request lets the model
 * think. Each block is signed for the conversation that it stands in.
 */
export function planThinkingBlocks(thinker: Thinker): ReplyBlock[] {
  const { request, profile, directives } = thinker;
  const mode = thinkingOf(request, profile);
  const sign = lazily(() => signer(thinker));
  const blocks: ReplyBlock[] = [];
  const add = (deltas: string[], isShown: boolean): void => {
    const signature = sign(isShown ? deltas.join('') : '');
    blocks.push({ type: 'thinking', deltas, isShown, signature });
  };
  const words = mode.on ? wordsOf(thinker, mode) : 0;
  if (words > 0) add(numberedWords('thought', words), mode.display === 'summarized');
  if (mode.on && directives.some(({ name }) => name === 'redact')) {
    blocks.push({ type: 'redacted_thinking', deltas: ['hidden'], data: sign('') });
  }
  const update = directives.find((directive) => directive.name === 'update');
  if (update && profile.thinking.includes('between_tools')) {
    // Nothing hides an update but `omitted`, which there is only with thinking on.
    add(numberedWords('update', update.count), !mode.on || mode.display !== 'omitted');
  }
  return blocks;
}

function wordsOf({ directives, step }: Thinker, mode: ThinkingMode): number {
  const asked = directives.find((directive) => directive.name === 'think');
  const isBegun = mode.kind === 'enabled' && step === 1;
  return asked?.count ?? (isBegun ? leastThought : 0);
}

/** The conversation is read for a signature only where there is something to sign. */
function lazily(make: () => (text: string) => string): (text: string) => string {
  let made: ((text: string) => string) | undefined;
  return (text) => {
    made ??= make();
    return made(text);
  };
}

/** Signs one block of the reply after the other. */
function signer({ request, profile, newId }: Thinker): (text: string) => string {
  const reader = new PrefixReader(request);
  let after = '';
  let depth = 0;
  for (const message of request.messages) {
    reader.addMessage(message);
    for (const block of blocksOf(message)) {
      if (!isThinkingBlock(block)) continue;
      const claim = readSignature(block);
      if (typeof claim === 'string') continue;
      after = claim.id;
      depth += 1;
    }
  }
  const { prefix } = reader;
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
