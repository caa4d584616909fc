import { refuse } from '../http/wire-error.js';
import type { ModelProfile, ProfileThinking } from '../models/profiles.js';
import {
  blocksOf,
  isThinkingBlock,
  type MessagesRequest,
  type ThinkingBlock,
} from '../request-types.js';
import {
  PrefixBuilder,
  type Prefix,
  isShown,
  parseSignature,
  type SignedClaim,
} from './sign-thinking.js';

/** An entry of `input_transformations`. */
export interface DroppedThinking {
  type: 'thinking_dropped';
  path: string;
  reason: 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

export interface CheckedThinking {
  /** The request without the dropped blocks. */
  body: MessagesRequest;
  dropped: DroppedThinking[];
}

interface SignedBlock {
  block: ThinkingBlock;
  path: string;
  claim: SignedClaim;
  /** The prefix of the block in this request. */
  prefix: Prefix;
}

/**
 * Checks the thinking in a request: blocks of other models are dropped, blocks of this model must be
 * unchanged, and where the model binds thinking, so must be the prompt before them.
 *
 * @throws a 400 with the block's path
 */
export function checkThinking(body: MessagesRequest, profile: ModelProfile): CheckedThinking {
  const { messages } = body;
  if (!messages.some((message) => blocksOf(message).some(isThinkingBlock)))
    return { body, dropped: [] };
  const latest = latestTurn(body);
  const dropped: DroppedThinking[] = [];
  const signed: SignedBlock[] = [];
  const prefix = new PrefixBuilder(body);
  messages.forEach((message, index) => {
    blocksOf(message).forEach((block, at) => {
      if (!isThinkingBlock(block)) return prefix.add(message.role, block);
      const path = `messages.${index}.content.${at}`;
      const claim = verifyClaim(block, path, index >= latest);
      if (claim?.model === profile.id) signed.push({ block, path, claim, prefix: prefix.prefix });
      else dropped.push({ type: 'thinking_dropped', path, reason: 'model_binding_mismatch' });
    });
  });
  refuseReordered(signed, latest);
  if (profile.bindsThinking) dropped.push(...checkPrefixes(signed, body));
  return { body: withoutDropped(body, dropped), dropped };
}

/** The index of the first message of the assistant's latest turn. */
function latestTurn({ messages }: MessagesRequest): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const before = messages.slice(0, last).findLastIndex(({ role }) => role !== 'assistant');
  return before + 1;
}

/** @returns undefined for a block that no rehearsal made */
function verifyClaim(
  block: ThinkingBlock,
  path: string,
  isLatest: boolean,
): SignedClaim | undefined {
  const claim = parseSignature(block);
  if (claim === 'foreign') return undefined;
  if (claim === 'damaged') {
    throw refuse('thinking-signature', `${path}: Invalid \`signature\` in \`${block.type}\` block`);
  }
  if (isShown(claim, block)) return claim;
  throw isLatest
    ? modified(path)
    : refuse('thinking-signature', `${path}: Invalid \`signature\` in \`${block.type}\` block`);
}

function modified(path: string): Error {
  return refuse(
    'thinking-modified',
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
      'modified. These blocks must remain as they were in the original response.',
  );
}

/** Refuses thinking of the latest turn that does not begin with a reply's first block, or has gaps. */
function refuseReordered(signed: readonly SignedBlock[], latest: number): void {
  const next = new Map<string, number>();
  for (const { claim, path } of signed) {
    if (Number(path.split('.')[1]) < latest) continue;
    if (claim.index !== (next.get(claim.reply) ?? 0)) throw modified(path);
    next.set(claim.reply, claim.index + 1);
  }
}

/**
 * The prefix check. Thinking may be left out from the front, from the end or altogether, so that a
 * block is compared with the block before it only where there is one.
 */
function checkPrefixes(signed: readonly SignedBlock[], body: MessagesRequest): DroppedThinking[] {
  const { thinking } = body;
  const binding = thinking && 'block_binding' in thinking ? thinking.block_binding : undefined;
  const drops = binding?.prefix_mismatch_behavior === 'drop_block';
  const dropped: DroppedThinking[] = [];
  let kept = 0;
  let before = '';
  for (const { block, path, claim, prefix } of signed) {
    const change = changeOf(claim, prefix, { kept, before });
    if (change === undefined) {
      kept += 1;
      before = claim.id;
    } else if (drops) {
      dropped.push({ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' });
    } else {
      throw refuse(
        'thinking-bound',
        `${path}: Invalid \`signature\` in \`${block.type}\` block. The block is bound to a different ` +
          'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` ' +
          `to "drop_block". ${binding ? '' : `${headerHint} `}${change}`,
      );
    }
  }
  return dropped;
}

const headerHint =
  'That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` ' +
  'header.';

/** The change before a block, as text for people; undefined: none. */
function changeOf(
  claim: SignedClaim,
  now: Prefix,
  thoughts: { kept: number; before: string },
): string | undefined {
  if (claim.prefix.system !== now.system) return 'The `system` prompt has changed.';
  if (claim.prefix.tools !== now.tools) return 'The `tools` have changed.';
  if (claim.prefix.messages !== now.messages) return 'The messages before the block have changed.';
  if (thoughts.kept === 0) return undefined;
  if (thoughts.kept > claim.depth) return 'Thinking before the block was put back.';
  if (thoughts.before !== claim.after)
    return 'Thinking before the block is missing or out of order.';
  return undefined;
}

function withoutDropped(
  body: MessagesRequest,
  dropped: readonly DroppedThinking[],
): MessagesRequest {
  if (dropped.length === 0) return body;
  const paths = new Set(dropped.map(({ path }) => path));
  const messages = body.messages
    .map((message, index) =>
      typeof message.content === 'string'
        ? message
        : {
            ...message,
            content: message.content.filter(
              (_, at) => !paths.has(`messages.${index}.content.${at}`),
            ),
          },
    )
    .filter(({ content }) => content.length > 0);
  return { ...body, messages };
}

/** The thinking of a reply, by its request and model. */
export interface ThinkingMode {
  /** The kind asked for, or the model's default. */
  kind: ProfileThinking;
  on: boolean;
  /** Whether the reply has the text of thinking. */
  display: 'summarized' | 'omitted' | 'updates';
}

export function thinkingOf(body: MessagesRequest, profile: ModelProfile): ThinkingMode {
  const { thinking } = body;
  const kind = thinking?.type ?? (profile.thinksByDefault ? 'adaptive' : 'disabled');
  const display = thinking && 'display' in thinking ? thinking.display : undefined;
  return {
    kind,
    on: kind === 'adaptive' || kind === 'enabled',
    display: display ?? profile.display,
  };
}
