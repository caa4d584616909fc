import { citeDocument } from './cite-document.js';
import { countOutputTokens } from './estimate-usage.js';
import { parseDirectives, type Directive } from './parse-directives.js';
import { planCalls } from './plan-calls.js';
import { readConversation, type Conversation } from './read-conversation.js';
import type { BreakOff, ReplyBlock, ReplyPlan } from './reply-plan.js';
import type { MessagesRequest } from './request-types.js';
import type { WireStop, WireStopReason } from './stream-types.js';
import { describeRequest, describeResults, numberedWords } from './write-replies.js';

export type Plan = { kind: 'failure'; status: number } | { kind: 'reply'; reply: ReplyPlan };

export interface PlanOptions {
  /** How often the SDK has already tried this request, from 0. */
  retryCount: number;
  /** Makes the ids of tool calls. */
  newId: (prefix: string) => string;
}

/**
 * Decides the whole answer to a request. The blocks come in the order thinking, citation, text,
 * tool calls, in each reply of the turn; text is left out while calls are due, unless `tokens`
 * asks for it. Of several directives of one kind that hold, the first counts.
 *
 * @throws a 400 that names a directive which cannot be read
 */
export function planReply(request: MessagesRequest, options: PlanOptions): Plan {
  const conversation = readConversation(request);
  const directives = parseDirectives(conversation.text).filter((directive) => {
    const step = 'step' in directive ? directive.step : undefined;
    const times = directive.name === 'fail' ? directive.times : undefined;
    return (
      (step === undefined || step === conversation.step) &&
      (times === undefined || options.retryCount < times)
    );
  });
  const failure = find(directives, 'fail');
  if (failure && failure.after === undefined) return { kind: 'failure', status: failure.status };

  const calls = planCalls(directives, conversation.step, options.newId);
  const wanted = [
    ...thinkingBlocks(directives),
    ...(find(directives, 'cite') ? [citeDocument(conversation.document)] : []),
    ...textBlocks({ request, conversation, directives, hasCalls: calls.length > 0 }),
    ...calls,
  ];
  const blocks = limitOutput(wanted, request.max_tokens);
  const cut = countOutputTokens(blocks) < countOutputTokens(wanted);
  const reason = cut ? 'max_tokens' : stopReason(directives, conversation, calls.length > 0);
  const tokens = find(directives, 'tokens');
  const breakOff = breakOffOf(directives);
  return {
    kind: 'reply',
    reply: {
      blocks,
      stop: stopOf(reason, request),
      firstMs: tokens?.firstMs ?? 0,
      gapMs: tokens?.gapMs ?? 0,
      stallMs: find(directives, 'stall')?.ms ?? 0,
      ...(breakOff ? { breakOff } : {}),
    },
  };
}

function find<N extends Directive['name']>(
  directives: readonly Directive[],
  name: N,
): Extract<Directive, { name: N }> | undefined {
  return directives.find(
    (directive): directive is Extract<Directive, { name: N }> => directive.name === name,
  );
}

function thinkingBlocks(directives: readonly Directive[]): ReplyBlock[] {
  const think = find(directives, 'think');
  return think ? [{ type: 'thinking', deltas: numberedWords('thought', think.count) }] : [];
}

function textBlocks(facts: {
  request: MessagesRequest;
  conversation: Conversation;
  directives: readonly Directive[];
  hasCalls: boolean;
}): ReplyBlock[] {
  const { request, conversation, directives, hasCalls } = facts;
  const tokens = find(directives, 'tokens');
  if (tokens) return [{ type: 'text', deltas: numberedWords('word', tokens.count) }];
  if (hasCalls) return [];
  if (conversation.continues) return [{ type: 'text', deltas: ['And here', ' is the rest.'] }];
  const answered = conversation.results.length > 0;
  const deltas = answered ? describeResults(conversation) : describeRequest(request, conversation);
  return [{ type: 'text', deltas }];
}

/** What fits in `maxTokens` deltas. A call that is cut off keeps its partial JSON and no input. */
function limitOutput(blocks: readonly ReplyBlock[], maxTokens: number): ReplyBlock[] {
  let left = maxTokens;
  const kept: ReplyBlock[] = [];
  for (const block of blocks) {
    if (left === 0) break;
    const deltas = block.deltas.slice(0, left);
    left -= deltas.length;
    if (deltas.length === block.deltas.length) kept.push(block);
    else if (block.type === 'tool_use') kept.push({ ...block, deltas, input: {} });
    else kept.push({ type: block.type, deltas });
  }
  return kept;
}

function stopReason(
  directives: readonly Directive[],
  conversation: Conversation,
  hasCalls: boolean,
): WireStopReason {
  const asked = find(directives, 'stop')?.reason;
  // A paused turn that goes on must come to an end, although its directive is still there.
  const paused = asked === 'pause_turn' && (conversation.continues || conversation.step > 1);
  if (asked && !paused) return asked;
  return hasCalls ? 'tool_use' : 'end_turn';
}

function stopOf(reason: WireStopReason, request: MessagesRequest): WireStop {
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (request.stop_sequences?.[0] ?? 'STOP') : null,
    stop_details:
      reason === 'refusal'
        ? { type: 'refusal', category: 'general_harms', explanation: 'A rehearsed refusal.' }
        : null,
  };
}

function breakOffOf(directives: readonly Directive[]): BreakOff | undefined {
  for (const directive of directives) {
    if (directive.name === 'drop') return { how: 'drop', after: directive.after };
    if (directive.name === 'fail') {
      return { how: 'error', status: directive.status, after: directive.after ?? 0 };
    }
  }
  return undefined;
}
