import type { AcceptedRequest } from '../accept-request.js';
import { namedFailure } from '../directives/named-failures.js';
import { parseDirectives, type Directive } from '../directives/parse-directives.js';
import type { AskedFailure } from '../http/wire-error.js';
import type { ModelProfile } from '../models/model-profile.js';
import { planThinkingBlocks } from '../thinking/plan-thinking-blocks.js';
import { citeDocument } from './cite-document.js';
import { limitOutput } from './limit-output.js';
import { planCalls } from './plan-calls.js';
import { planServerTools } from './plan-server-tools.js';
import { planStop } from './plan-stop.js';
import { extractTurn, type RequestedTurn } from './extract-turn.js';
import type { BreakOff, ReplyBlock, ReplyPlan } from './reply-plan.js';
import type { WireStopReason } from './stream-types.js';
import { describeRequest, describeResults, numberedWords } from './write-replies.js';

export type Plan = { kind: 'failure'; failure: AskedFailure } | { kind: 'reply'; reply: ReplyPlan };

export interface PlanOptions {
  /** How often the SDK has already tried this request, from 0. */
  retryCount: number;
  /** Tokens that the window has left after the prompt. */
  room: number;
  /** Makes the ids of tool calls. */
  newId: (prefix: string) => string;
}

/**
 * Decides the whole answer to a request. The blocks come in the order thinking, citation, text,
 * the API's own tools, tool calls, in each reply of the turn; text is left out while calls are
 * due, unless `tokens` asks for it. Of several directives of one kind that hold, the first counts.
 *
 * @throws a 400 that names a directive which cannot be read
 */
export function planReply(accepted: AcceptedRequest, options: PlanOptions): Plan {
  const { body: request, profile } = accepted;
  const conversation = extractTurn(request);
  const directives = activeDirectives(conversation, options.retryCount);
  const failure = find(directives, 'fail');
  if (failure && failure.after === undefined) {
    return { kind: 'failure', failure: failureOf(failure, profile) };
  }

  const wanted = find(directives, 'empty')
    ? []
    : wantedBlocks({ accepted, conversation, directives, newId: options.newId });
  const hasCalls = wanted.some(({ type }) => type === 'tool_use');
  const most = Math.min(request.max_tokens, options.room);
  const { blocks, isCut } = limitOutput(wanted, most);
  const atEnd: WireStopReason =
    most < request.max_tokens ? 'model_context_window_exceeded' : 'max_tokens';
  const asked = askedStop(directives, conversation);
  const reason = isCut ? atEnd : (asked?.reason ?? (hasCalls ? 'tool_use' : 'end_turn'));
  const tokens = find(directives, 'tokens');
  const breakOff = breakOffOf(directives, profile);
  return {
    kind: 'reply',
    reply: {
      blocks,
      stop: planStop(reason, { request, category: asked?.category }),
      firstMs: tokens?.firstMs ?? 0,
      gapMs: tokens?.gapMs ?? 0,
      stallMs: find(directives, 'stall')?.ms ?? 0,
      ...(breakOff ? { breakOff } : {}),
    },
  };
}

/** Those that hold in this step and at this try. */
function activeDirectives(conversation: RequestedTurn, retryCount: number): Directive[] {
  return parseDirectives(conversation.text).filter((directive) => {
    const step = 'step' in directive ? directive.step : undefined;
    const times = directive.name === 'fail' ? directive.times : undefined;
    return (
      (step === undefined || step === conversation.step) &&
      (times === undefined || retryCount < times)
    );
  });
}

function find<N extends Directive['name']>(
  directives: readonly Directive[],
  name: N,
): Extract<Directive, { name: N }> | undefined {
  return directives.find(
    (directive): directive is Extract<Directive, { name: N }> => directive.name === name,
  );
}

interface Facts {
  accepted: AcceptedRequest;
  conversation: RequestedTurn;
  directives: readonly Directive[];
  newId: (prefix: string) => string;
}

function wantedBlocks(facts: Facts): ReplyBlock[] {
  const { accepted, conversation, directives, newId } = facts;
  const { body: request, profile } = accepted;
  const { step } = conversation;
  const calls = request.tool_choice?.type === 'none' ? [] : planCalls(directives, step, newId);
  return asParagraphs([
    ...planThinkingBlocks({ request, profile, directives, step, newId }),
    ...(find(directives, 'cite') ? [citeDocument(conversation.document)] : []),
    ...textBlocks(facts, calls.length > 0),
    ...planServerTools({
      directives: step === 1 ? directives : [],
      newId,
      pauses: askedStop(directives, conversation)?.reason === 'pause_turn',
      open: conversation.openServerCall,
    }),
    ...calls,
  ]);
}

/** Whoever reads a reply puts its text blocks together as they are: what parts them is in them. */
function asParagraphs(blocks: readonly ReplyBlock[]): ReplyBlock[] {
  return blocks.map((block, index) => {
    if (block.type !== 'text' || blocks[index - 1]?.type !== 'text') return block;
    const [first = '', ...rest] = block.deltas;
    return { ...block, deltas: [`\n\n${first}`, ...rest] };
  });
}

function textBlocks(facts: Facts, hasCalls: boolean): ReplyBlock[] {
  const { accepted, conversation, directives } = facts;
  if (find(directives, 'surrogate')) return [{ type: 'text', deltas: ['Half of a pair: \ud83d'] }];
  const tokens = find(directives, 'tokens');
  if (tokens) return [{ type: 'text', deltas: numberedWords('word', tokens.count) }];
  if (hasCalls || conversation.openServerCall) return [];
  if (conversation.continues) return [{ type: 'text', deltas: ['And here', ' is the rest.'] }];
  const answered = conversation.results.length > 0;
  const deltas = answered
    ? describeResults(conversation)
    : describeRequest(accepted.body, conversation);
  return [{ type: 'text', deltas }];
}

/** A paused turn that goes on must come to an end, although its directive is still there. */
function askedStop(
  directives: readonly Directive[],
  conversation: RequestedTurn,
): Extract<Directive, { name: 'stop' }> | undefined {
  const asked = find(directives, 'stop');
  const goesOn = conversation.continues || conversation.step > 1;
  return asked?.reason === 'pause_turn' && goesOn ? undefined : asked;
}

function failureOf(
  directive: Extract<Directive, { name: 'fail' }>,
  profile: ModelProfile,
): AskedFailure {
  const { failure, retryAfter } = directive;
  const asked = typeof failure === 'number' ? { status: failure } : namedFailure(failure, profile);
  return retryAfter === undefined ? asked : { ...asked, retryAfter };
}

function breakOffOf(directives: readonly Directive[], profile: ModelProfile): BreakOff | undefined {
  for (const directive of directives) {
    if (directive.name === 'drop') return { how: 'drop', after: directive.after };
    if (directive.name === 'fail') {
      const failure = failureOf(directive, profile);
      return { how: 'error', failure, after: directive.after ?? 0 };
    }
  }
  return undefined;
}
