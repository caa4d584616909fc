import { SNIFF_BYTES } from '../../attachments/blob-store.js';
import { mediaKind, sniffType } from '../../attachments/check-file.js';
import { maxImageBytes } from '../../attachments/file-limits.js';
import { TypedError } from '../../errors/typed-error.js';
import { addUsage, clientNotice, noUsage, type NoticePosted } from '../../events/turn-event.js';
import { reserveCall } from '../../governance/budgets/reserve-call.js';
import { settlement, type Reservation } from '../../governance/budgets/usage-days.js';
import { changeState, moveTime } from '../../governance/decision-tree/agent-state.js';
import { tokensOf } from '../../governance/limits/cost.js';
import { describeDayShortage } from '../../governance/limits/day-budget.js';
import {
  findHeadroom,
  lastReplyTokens,
  minReplyTokens,
  type Headroom,
} from '../../governance/limits/find-headroom.js';
import { estimateRequest, estimateText } from '../../provider/estimate-tokens.js';
import type {
  ModelEvent,
  ModelMessage,
  ModelRequest,
  UserPart,
} from '../../provider/model-types.js';
import { planThinking } from '../../provider/thinking.js';
import { turns } from '../../storage/schema.js';
import type { Price } from '../../storage/shapes/stored-options.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { updateTurnKind } from '../../storage/write-kind.js';
import { SampleRefusedError, type SampleReply, type SampleRequest } from '../../tools/tool.js';
import { countUsage } from '../budgets/estimate-call.js';
import { MAX_ESTIMATE_ERROR } from '../budgets/reserve-headroom.js';
import type { ToolUse } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { addChild, addSample } from '../state/turn-state.js';

const storeSampled = updateTurnKind(turns, ['sampled']);

/** A model call that is paid for, before it is made. */
interface Reserved {
  /** The most that it can use. */
  usage: Usage;
  /** Tokens of its reply at most. */
  reply: number;
  price: Price | undefined;
  /** Its reservation from the principal's day. Absent: the day has no limits. */
  ofDay?: Reservation;
}

/**
 * Asks the model of a turn for the server of a call, as a model call of the turn: reserved within every limit before it
 * is made, and stored, so that a takeover counts it; settled before the server has the reply. One of a worker that died
 * counts with all that was reserved.
 *
 * @throws SampleRefusedError; the reason of `signal`; what the writer throws.
 */
export async function sampleModel(
  run: AttemptContext,
  call: ToolUse,
  asked: SampleRequest,
  signal: AbortSignal,
): Promise<SampleReply> {
  const request = await requestOf(run, asked);
  signal.throwIfAborted();
  const reserved = await reserve(run, call, { asked, request }, signal);
  await run.writer.commit([], [storeSampled({ sampled: storedSampled(run) })]);
  const reply = new Reply();
  try {
    await run.services.provider
      .stream({ ...request, maxTokens: reserved.reply }, signal)
      .read((events) => reply.take(events));
  } catch (error) {
    signal.throwIfAborted();
    run.logger.info(
      { error, tool: call.name },
      'the model gave an MCP server no answer; the server is told, and its call goes on',
    );
    const type = error instanceof TypedError ? error.type : 'SDK_FAILURE';
    throw new SampleRefusedError('model', `the model gave no answer (${type})`, { cause: error });
  } finally {
    await settle(run, call, reserved, reply.usageOf(run, reserved.price));
  }
  if (reply.stopReason === 'refusal') {
    throw new SampleRefusedError('model', 'the model declined to answer');
  }
  return { text: reply.text, model: request.model, stopReason: reply.stopReason };
}

/** A reply as far as it has come. */
class Reply {
  text = '';
  stopReason: SampleReply['stopReason'] | 'refusal' = 'end_turn';
  #usage = noUsage;
  #isWhole = false;

  take(events: readonly ModelEvent[]): void {
    for (const event of events) {
      if (event.type === 'text.delta') this.text += event.text;
      if (event.type === 'started' || event.type === 'ended') this.#usage = event.usage;
      if (event.type !== 'ended') continue;
      this.#isWhole = true;
      this.stopReason = stopReasonOf(event.stopReason);
      this.text = this.text.toWellFormed();
    }
  }

  /** What the call used; of one that was cut, at least what has come. */
  usageOf({ model }: AttemptContext, price: Price | undefined): Usage {
    const streamed = this.#isWhole ? 0 : estimateText(this.text, model.frame.model);
    const outputTokens = Math.max(this.#usage.outputTokens, streamed);
    return paid({ ...this.#usage, outputTokens }, price);
  }
}

function stopReasonOf(reason: string): Reply['stopReason'] {
  switch (reason) {
    case 'refusal':
    case 'stop_sequence':
      return reason;
    case 'max_tokens':
    case 'context_window':
      return 'max_tokens';
    default:
      return 'end_turn';
  }
}

/** The request of a server alone, without the agent's prompt, tools and thinking. */
async function requestOf(
  { model: { frame, maxTokens: most } }: AttemptContext,
  { system, messages, maxTokens, stopSequences }: SampleRequest,
): Promise<ModelRequest> {
  return {
    model: frame.modelName,
    system,
    messages: await Promise.all(messages.map(withKnownImages)),
    tools: [],
    maxTokens: Math.min(maxTokens, most),
    thinking: planThinking(frame.model, false, maxTokens),
    ...(stopSequences.length > 0 && { stopSequences }),
  };
}

/** The bytes of an image tell its type, whatever its sender says. */
async function withKnownImages(message: ModelMessage): Promise<ModelMessage> {
  if (message.role !== 'user') return message;
  const parts = message.parts.map(async (part): Promise<UserPart> => {
    if (part.type !== 'image') return part;
    const bytes = Buffer.from(part.base64, 'base64');
    const mediaType = (await sniffType(bytes.subarray(0, SNIFF_BYTES))) ?? '';
    if (mediaKind(mediaType) !== 'image') {
      throw invalid('it sends an image that is no PNG, JPEG, GIF or WebP');
    }
    if (bytes.length > maxImageBytes) {
      throw invalid(`it sends an image of more than ${maxImageBytes} bytes`);
    }
    return { ...part, mediaType };
  });
  return { role: 'user', parts: await Promise.all(parts) };
}

function invalid(message: string): SampleRefusedError {
  return new SampleRefusedError('invalid', message);
}

interface Wanted {
  asked: SampleRequest;
  request: ModelRequest;
}

/** Takes the most that a model call can use from every limit of the turn, then from its principal's day. */
async function reserve(
  run: AttemptContext,
  call: ToolUse,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Reserved> {
  // No await comes before the state has it: calls side by side see each other's reservation.
  const { input, ...own } = reserveOfTurn(run, call, wanted);
  const { principalId, budget: limits } = run.turn;
  if (limits === null) return own;
  try {
    const { clock, services } = run;
    const minReply = minReplyTokens(own.reply);
    const size = { input, cached: 0, reply: own.reply };
    const taken = await reserveCall(
      { db: services.db, clock, signal },
      { principalId, limits, size, minReply, price: own.price },
    );
    if (taken.type === 'reserved') {
      return { ...own, reply: taken.reply, ofDay: taken.reservation };
    }
    const { budget } = taken.shortage;
    throw new SampleRefusedError(budget, describeDayShortage(taken.shortage));
  } catch (error) {
    replace(run, call, own.usage, undefined);
    throw error;
  }
}

function reserveOfTurn(
  run: AttemptContext,
  call: ToolUse,
  { asked, request }: Wanted,
): Reserved & { input: number } {
  const { progress, tree, clock, turn, model } = run;
  const before = progress.sampled.get(call.id) ?? [];
  if (before.length >= asked.maxCalls) {
    throw new SampleRefusedError(
      'sampling_calls',
      `a call may ask the model ${asked.maxCalls} times, and it has done so`,
    );
  }
  // The turn keeps one model call, and tokens, for its answer.
  const state = moveTime(progress.state, clock.now());
  const { shouldContinue, reason } = tree.shouldContinue(
    changeState(state, { turn: state.turn + 1 }),
  );
  if (!shouldContinue) {
    throw new SampleRefusedError(reason, `the turn has no model call left for it (${reason})`);
  }
  const input = Math.ceil(estimateRequest(request, model.frame.model) * MAX_ESTIMATE_ERROR);
  const headroom = headroomOf(run, input);
  const reply = Math.min(request.maxTokens, headroom.reply);
  if (reply < minReplyTokens(request.maxTokens)) {
    const what = headroom.budget === 'token_budget' ? 'tokens' : 'money';
    throw new SampleRefusedError(headroom.budget, `the turn has too few ${what} left for it`);
  }
  const { costLimit } = turn.options.options;
  const price = costLimit?.price ?? model.price;
  // Input is written to the provider's cache, which costs more than to read it.
  const usage = paid({ ...noUsage, cacheWriteTokens: input, outputTokens: reply }, price);
  progress.state = addSample(progress.state, usage, costLimit);
  progress.sampled.set(call.id, [...before, usage]);
  return { usage, reply, price, input };
}

/** What a turn keeps of its budget, in last replies: for the call's result, whose cut leaves two of them (`fitOutput`). */
const KEPT_REPLIES = 3;

/** Tokens of a reply that the turn's own budgets allow, without what its subagents have reserved. */
function headroomOf(
  { progress: { state }, turn, children }: AttemptContext,
  input: number,
): Headroom {
  const unended = children.filter(({ usage }) => usage === undefined);
  const tokens = unended.reduce((sum, { tokenBudget }) => sum + tokenBudget, 0);
  const usd = unended.reduce((sum, child) => sum + (child.costLimit?.usd ?? 0), 0);
  const { costLimit } = turn.options.options;
  return findHeadroom(
    state,
    { added: input, input, cached: 0 },
    {
      costLimit: costLimit && { ...costLimit, usd: costLimit.usd - usd },
      kept:
        KEPT_REPLIES * lastReplyTokens(state) +
        (Number.isFinite(state.config.tokenBudget) ? tokens : 0),
    },
  );
}

/** Stores what a model call used in the place of what was reserved for it, and tells readers. */
async function settle(
  run: AttemptContext,
  call: ToolUse,
  { usage: reserved, ofDay }: Reserved,
  used: Usage,
): Promise<void> {
  replace(run, call, reserved, used);
  await run.writer.commit(
    [sampledNotice(call, used)],
    [
      storeSampled({ sampled: storedSampled(run) }),
      ...(ofDay === undefined ? [] : [settlement(ofDay, used)]),
    ],
  );
}

/** Counts what a model call used in the place of what was reserved for it. @param used undefined: it was not made. */
function replace(
  { progress, turn }: AttemptContext,
  call: ToolUse,
  reserved: Usage,
  used: Usage | undefined,
): void {
  const { sampled, state } = progress;
  const all = sampled.get(call.id) ?? [];
  sampled.set(
    call.id,
    all.flatMap((one) => (one === reserved ? (used ?? []) : [one])),
  );
  const change = addUsage(used ?? noUsage, negative(reserved));
  progress.state = changeState(addChild(state, change, turn.options.options.costLimit), {
    turn: used === undefined ? state.turn - 1 : state.turn,
  });
}

function negative(usage: Usage): Usage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    inputTokens: -inputTokens,
    outputTokens: -outputTokens,
    cacheReadTokens: -cacheReadTokens,
    cacheWriteTokens: -cacheWriteTokens,
    addedTokens: -tokensOf(usage),
    ...(usage.costUsd !== undefined && { costUsd: -usage.costUsd }),
  };
}

/** All tokens that are paid for count against the turn's budget: nothing of them is in its conversation. */
function paid(usage: Usage, price: Price | undefined): Usage {
  return countUsage(usage, { added: tokensOf(usage) - usage.outputTokens, price });
}

function storedSampled({ progress: { sampled } }: AttemptContext): Record<string, Usage[]> {
  return Object.fromEntries([...sampled].filter(([, usages]) => usages.length > 0));
}

function sampledNotice({ id: callId, name: tool }: ToolUse, usage: Usage): NoticePosted {
  const tokens = tokensOf(usage) + usage.cacheReadTokens;
  const text = `The MCP server of ${tool} asked the model in this call, for ${tokens} tokens.`;
  return clientNotice('step', 'mcp-sampling', text, { callId, tool, usage });
}
