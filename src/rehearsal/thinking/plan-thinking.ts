import type { Directive } from '../directives/parse-directives.js';
import type { ModelProfile } from '../models/model-profile.js';
import { blocksOf, isThinking, type MessagesRequest } from '../request-types.js';
import type { ReplyBlock } from '../reply/reply-plan.js';
import { numberedWords } from '../reply/write-replies.js';
import { PrefixReader } from './canonical-prefix.js';
import { idOf, readSignature, signThinking } from './sign-thinking.js';
import { thinkingOf } from './thinking-mode.js';

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
export function planThinking(thinker: Thinker): ReplyBlock[] {
  const { request, profile, directives, step } = thinker;
  const mode = thinkingOf(request, profile);
  if (!mode.on) return [];
  const asked = directives.find((directive) => directive.name === 'think');
  const isBegun = mode.kind === 'enabled' && step === 1;
  const words = asked?.count ?? (isBegun ? leastThought : 0);
  const isRedacted = directives.some(({ name }) => name === 'redact');
  if (words === 0 && !isRedacted) return [];

  const isShown = mode.display === 'summarized';
  const sign = signer(thinker);
  const blocks: ReplyBlock[] = [];
  if (words > 0) {
    const deltas = numberedWords('thought', words);
    const signature = sign(isShown ? deltas.join('') : '');
    blocks.push({ type: 'thinking', deltas, isShown, signature });
  }
  if (isRedacted) {
    blocks.push({ type: 'redacted_thinking', deltas: ['hidden'], data: sign('') });
  }
  return blocks;
}

/** Signs one block of the reply after the other. */
function signer({ request, profile, newId }: Thinker): (text: string) => string {
  const reader = new PrefixReader(request);
  let after = '';
  let depth = 0;
  for (const message of request.messages) {
    reader.addMessage(message);
    for (const block of blocksOf(message)) {
      if (!isThinking(block)) continue;
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
