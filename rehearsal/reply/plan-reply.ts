import type Anthropic from '@anthropic-ai/sdk';
import type { AcceptedRequest } from '../accept-request.js';
import { namedFailure } from '../directives/named-failures.js';
import { parseDirectives, type Directive } from '../directives/parse-directives.js';
import type { FailureReply } from '../http/wire-error.js';
import type { ModelProfile } from '../models/profiles.js';
import { blocksOf, type MessagesRequest } from '../request-types.js';
import { isPlainObject } from '../json.js';
import { planThinkingBlocks } from '../thinking/plan-thinking-blocks.js';
import { citeDocument, planCalls, planServerTools } from './plan-calls.js';
import {
  extractTurn,
  type RequestedTurn,
  describeRequest,
  describeResults,
  numberedWords,
} from './extract-turn.js';
import type { BreakOff, ReplyBlock, ReplyPlan, RefusalCategory, WireStop } from './reply-plan.js';
import { inPieces, writeValue } from './write-object.js';

export type Plan = { kind: 'failure'; failure: FailureReply } | { kind: 'reply'; reply: ReplyPlan };

export interface PlanOptions {
  /** The SDK's retries of this request so far. */
  retryCount: number;
  /** Tokens left in the window after the prompt. */
  headroom: number;
  /** Makes the ids of tool calls. */
  newId: (prefix: string) => string;
}

/**
 * Plans the whole answer to a request. The blocks of each reply are, in this order: thinking,
 * citation, text, server tools, tool calls; text is left out beside calls, unless `tokens` asks for
 * it. The first of several active directives of a kind counts.
 *
 * @throws a 400 that names a malformed directive
 */
export function planReply(accepted: AcceptedRequest, options: PlanOptions): Plan {
  const { body: request, profile } = accepted;
  const conversation = extractTurn(request);
  const directives = activeDirectives(conversation, options.retryCount);
  const failure = find(directives, 'fail');
  if (failure && failure.after === undefined) {
    return { kind: 'failure', failure: failureOf(failure, profile) };
  }

  const planned = find(directives, 'empty')
    ? []
    : planBlocks({ accepted, conversation, directives, newId: options.newId });
  const hasCalls = planned.some(({ type }) => type === 'tool_use');
  const most = Math.min(request.max_tokens, options.headroom);
  const { blocks, isCut } = limitOutput(planned, most);
  const cutReason: Anthropic.StopReason =
    most < request.max_tokens ? 'model_context_window_exceeded' : 'max_tokens';
  const stop = stopOf(directives, conversation);
  const reason = isCut ? cutReason : (stop?.reason ?? (hasCalls ? 'tool_use' : 'end_turn'));
  const tokens = find(directives, 'tokens');
  const breakOff = breakOffOf(directives, profile);
  return {
    kind: 'reply',
    reply: {
      blocks,
      stop: planStop(reason, request, stop?.category),
      firstMs: tokens?.firstMs ?? 0,
      gapMs: tokens?.gapMs ?? 0,
      stallMs: find(directives, 'stall')?.ms ?? 0,
      ...(breakOff ? { breakOff } : {}),
    },
  };
}

/** The directives that apply to this step and this try. */
function activeDirectives(conversation: RequestedTurn, retryCount: number): Directive[] {
  return parseDirectives(conversation.text).filter((directive) => {
    const { step } = directive;
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

interface PlanInput {
  accepted: AcceptedRequest;
  conversation: RequestedTurn;
  directives: readonly Directive[];
  newId: (prefix: string) => string;
}

function planBlocks(input: PlanInput): ReplyBlock[] {
  const { accepted, conversation, directives, newId } = input;
  const { body: request, profile } = accepted;
  const { step } = conversation;
  const calls = request.tool_choice?.type === 'none' ? [] : planCalls(directives, step, newId);
  return asParagraphs([
    ...planThinkingBlocks({ request, profile, directives, step, newId }),
    ...(find(directives, 'cite') ? [citeDocument(conversation.document)] : []),
    ...textBlocks(input, calls.length > 0),
    ...planServerTools({
      // Without a step, those of the first reply.
      directives: directives.filter((one) => one.name === 'server' && (one.step ?? 1) === step),
      offered: request.tools ?? [],
      newId,
      pauses: stopOf(directives, conversation)?.reason === 'pause_turn',
      open: conversation.openServerCall,
    }),
    ...calls,
  ]);
}

/** Ends text blocks with a paragraph break: readers join the blocks of a reply as they are. */
function asParagraphs(blocks: readonly ReplyBlock[]): ReplyBlock[] {
  return blocks.map((block, index) => {
    if (block.type !== 'text' || blocks[index - 1]?.type !== 'text') return block;
    const [first = '', ...rest] = block.deltas;
    return { ...block, deltas: [`\n\n${first}`, ...rest] };
  });
}

function textBlocks(input: PlanInput, hasCalls: boolean): ReplyBlock[] {
  const { accepted, conversation, directives } = input;
  if (find(directives, 'surrogate')) return [{ type: 'text', deltas: ['Half of a pair: \ud83d'] }];
  const tokens = find(directives, 'tokens');
  if (tokens) return [{ type: 'text', deltas: numberedWords('word', tokens.count) }];
  if (hasCalls || conversation.openServerCall) return [];
  const written = find(directives, 'output')?.text ?? writeOutput(accepted.body, conversation);
  if (written !== undefined) return [{ type: 'text', deltas: inPieces(written) }];
  if (conversation.continues) return [{ type: 'text', deltas: ['And here', ' is the rest.'] }];
  const answered = conversation.results.length > 0;
  const deltas = answered
    ? describeResults(conversation)
    : describeRequest(accepted.body, conversation);
  return [{ type: 'text', deltas }];
}

/** The JSON that the format of a request asks for, or its words do; undefined: none is asked for. */
function writeOutput(request: MessagesRequest, conversation: RequestedTurn): string | undefined {
  const format = request.output_config?.format;
  const schema = isPlainObject(format) ? format['schema'] : schemaInWords(request, conversation);
  return isPlainObject(schema) ? JSON.stringify(writeValue(schema, schema)) : undefined;
}

/** The schema that a message of the turn shows, for models without a format of replies. */
function schemaInWords({ messages }: MessagesRequest, { earlier }: RequestedTurn): unknown {
  for (const message of messages.slice(earlier).toReversed()) {
    for (const block of blocksOf(message)) {
      const shown = block.type === 'text' ? schemaInText.exec(block.text)?.[1] : undefined;
      if (shown === undefined) continue;
      try {
        return JSON.parse(shown);
      } catch (error) {
        // Words that look like the server's own are those of a person.
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
  }
  return undefined;
}

const schemaInText = /It must match this JSON Schema:\n(\{.*\})/s;

/** The stop that a directive asks for. `pause_turn` applies once: the turn that goes on must end. */
function stopOf(
  directives: readonly Directive[],
  conversation: RequestedTurn,
): Extract<Directive, { name: 'stop' }> | undefined {
  const stop = find(directives, 'stop');
  const goesOn = conversation.continues || conversation.step > 1;
  return stop?.reason === 'pause_turn' && goesOn ? undefined : stop;
}

function failureOf(
  directive: Extract<Directive, { name: 'fail' }>,
  profile: ModelProfile,
): FailureReply {
  const { failure, retryAfter } = directive;
  const reply = typeof failure === 'number' ? { status: failure } : namedFailure(failure, profile);
  return retryAfter === undefined ? reply : { ...reply, retryAfter };
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

/** The end of a reply, in the words of the API. */
function planStop(
  reason: Anthropic.StopReason,
  request: MessagesRequest,
  category: RefusalCategory = 'general_harms',
): WireStop {
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (request.stop_sequences?.[0] ?? 'STOP') : null,
    stop_details:
      reason === 'refusal'
        ? {
            type: 'refusal',
            category,
            explanation: 'A rehearsed refusal.',
          }
        : null,
  };
}

/** Cuts blocks to `most` deltas in all. A call that is cut keeps its partial JSON and no input. */
function limitOutput(
  blocks: readonly ReplyBlock[],
  most: number,
): { blocks: ReplyBlock[]; isCut: boolean } {
  let left = most;
  const kept: ReplyBlock[] = [];
  for (const block of blocks) {
    if (block.deltas.length <= left && (left > 0 || block.deltas.length === 0)) {
      left -= block.deltas.length;
      kept.push(block);
      continue;
    }
    const cut = left > 0 ? cutBlock(block, left) : undefined;
    return { blocks: cut ? [...kept, cut] : kept, isCut: true };
  }
  return { blocks: kept, isCut: false };
}

/** The part of a block that is left; undefined for thinking, which has no signature without its end. */
function cutBlock(block: ReplyBlock, left: number): ReplyBlock | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', deltas: block.deltas.slice(0, left) };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, deltas: block.deltas.slice(0, left), input: {} };
    case 'thinking':
    case 'redacted_thinking':
    case 'server_result':
      return undefined;
  }
}
