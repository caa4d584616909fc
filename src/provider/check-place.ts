import type { Clock } from '../platform/clock.js';
import type { AssistantPart, Usage } from '../storage/shapes/stored-step.js';
import type { Model } from './model.js';
import type { ModelCall, ModelEvent, ModelRequest, UserPart } from './model-types.js';

/** A finding of a check of a configured place. */
export interface PlaceCheck {
  name: 'text' | 'stream' | 'usage' | 'tool' | 'result' | 'picture' | 'count';
  /** `no`: turns do without. `failed`: turns need it, or the place has an error of its own. */
  outcome: 'ok' | 'no' | 'failed';
  /** In words, for people. */
  found: string;
}

interface CheckedPlace {
  provider: {
    stream(request: ModelRequest, signal: AbortSignal): ModelCall;
    countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
  };
  /** As turns see it, limited to the place's profile. */
  model: Model;
  clock: Clock;
  signal: AbortSignal;
}

/** Tokens of each reply: enough for a model that thinks first. */
const REPLY_TOKENS = 2_048;

/** A red square of 64 by 64 pixels, as a PNG in base64. */
const RED_SQUARE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';

const NUMBER = 7_391;

const tool = {
  name: 'report_number',
  description: 'Reports a number to the person who asks.',
  inputSchema: {
    type: 'object' as const,
    properties: { number: { type: 'integer', description: 'The number.' } },
    required: ['number'],
  },
};

/** A reply with the times of its events, in ms since the call. */
interface Reply {
  text: string;
  parts: AssistantPart[];
  usage: Usage | undefined;
  firstMs: number;
  lastMs: number;
  deltas: number;
  stopReason: string;
}

/**
 * Tries what turns need of a place, one real call after the other: a text, its stream and usage, a tool, its result, a
 * picture, a count. Nothing is retried here; each finding is given as soon as it is there.
 *
 * @throws the signal's reason when it aborts.
 */
export async function* checkPlace(place: CheckedPlace): AsyncGenerator<PlaceCheck> {
  // A place that gives no text gives nothing else.
  if (!(yield* checkText(place))) return;
  yield* checkTool(place);
  yield await checkPicture(place);
  yield await checkCount(place);
}

async function* checkText(place: CheckedPlace): AsyncGenerator<PlaceCheck, boolean> {
  const asked = request(place, [
    { type: 'text', text: 'Count from one to twenty in words, with commas. Write nothing else.' },
  ]);
  const reply = await call(place, asked);
  if (typeof reply === 'string') {
    yield { name: 'text', outcome: 'failed', found: reply };
    return false;
  }
  yield reply.text.trim() === ''
    ? { name: 'text', outcome: 'failed', found: `no text; it ended with ${reply.stopReason}` }
    : { name: 'text', outcome: 'ok', found: `first word after ${reply.firstMs} ms` };
  yield reply.deltas > 1
    ? { name: 'stream', outcome: 'ok', found: `${reply.deltas} pieces, ${reply.lastMs} ms in all` }
    : { name: 'stream', outcome: 'no', found: 'the whole reply came at once' };
  const { inputTokens = 0, outputTokens = 0 } = reply.usage ?? {};
  yield outputTokens > 0
    ? { name: 'usage', outcome: 'ok', found: `${inputTokens} tokens in, ${outputTokens} out` }
    : { name: 'usage', outcome: 'no', found: 'no tokens are reported: budgets use estimates' };
  return true;
}

async function* checkTool(place: CheckedPlace): AsyncGenerator<PlaceCheck> {
  const question: UserPart = {
    type: 'text',
    text: `Call the tool report_number with the number ${NUMBER}. Then say in one word what it answered.`,
  };
  const asked = { ...request(place, [question]), tools: [tool] };
  const reply = await call(place, asked);
  if (typeof reply === 'string') return yield { name: 'tool', outcome: 'failed', found: reply };
  const use = reply.parts.find((part) => part.type === 'tool_use');
  if (use === undefined) {
    return yield {
      name: 'tool',
      outcome: 'failed',
      found: 'the model called none: choose one that is made for tools',
    };
  }
  const isRight = use.name === tool.name && use.input['number'] === NUMBER;
  yield isRight
    ? { name: 'tool', outcome: 'ok', found: `called ${use.name} as asked` }
    : { name: 'tool', outcome: 'failed', found: `called ${use.name} with ${show(use.input)}` };
  const result: UserPart = {
    type: 'tool_result',
    callId: use.id,
    output: 'The answer is: marmalade',
    isError: false,
  };
  const after = await call(place, {
    ...asked,
    messages: [
      { role: 'user', parts: [question] },
      { role: 'assistant', parts: reply.parts },
      { role: 'user', parts: [result] },
    ],
  });
  if (typeof after === 'string') return yield { name: 'result', outcome: 'failed', found: after };
  yield /marmalade/i.test(after.text)
    ? { name: 'result', outcome: 'ok', found: 'the model read what the tool gave' }
    : { name: 'result', outcome: 'failed', found: `the model answered ${show(after.text)}` };
}

async function checkPicture(place: CheckedPlace): Promise<PlaceCheck> {
  const parts: UserPart[] = [
    { type: 'image', mediaType: 'image/png', base64: RED_SQUARE },
    { type: 'text', text: 'What colour is the picture? Answer with one word.' },
  ];
  const reply = await call(place, request(place, parts));
  const name = 'picture';
  const { seesImages, id } = place.model;
  if (typeof reply === 'string')
    return { name, outcome: seesImages ? 'failed' : 'no', found: reply };
  if (!/red/i.test(reply.text)) {
    return {
      name,
      outcome: seesImages ? 'failed' : 'no',
      found: `it was not seen: the model answered ${show(reply.text)}`,
    };
  }
  const entry = `{"${id}": {"seesImages": true}}`;
  const found = seesImages ? 'seen' : `seen; turns send pictures once TURNPIKE_MODELS has ${entry}`;
  return { name, outcome: 'ok', found };
}

async function checkCount(place: CheckedPlace): Promise<PlaceCheck> {
  const asked = request(place, [{ type: 'text', text: 'Hello' }]);
  try {
    const tokens = await place.provider.countTokens(asked, place.signal);
    return { name: 'count', outcome: 'ok', found: `${tokens} tokens` };
  } catch (error) {
    place.signal.throwIfAborted();
    return { name: 'count', outcome: 'no', found: `estimates are used: ${messageOf(error)}` };
  }
}

function request({ model }: CheckedPlace, parts: UserPart[]): ModelRequest {
  return {
    model: model.id,
    system: 'You are being tried out. Do exactly what is asked.',
    messages: [{ role: 'user', parts }],
    tools: [],
    maxTokens: Math.min(REPLY_TOKENS, model.maxOutput),
  };
}

/** Makes a call. @returns its reply, or why there is none, in words. */
async function call(
  { provider, clock, signal }: CheckedPlace,
  asked: ModelRequest,
): Promise<Reply | string> {
  const begun = clock.now();
  const reply: Reply = {
    text: '',
    parts: [],
    usage: undefined,
    firstMs: 0,
    lastMs: 0,
    deltas: 0,
    stopReason: '',
  };
  const take = (event: ModelEvent): void => {
    if (event.type === 'text.delta') {
      if (reply.deltas === 0) reply.firstMs = clock.now() - begun;
      reply.deltas += 1;
      reply.text += event.text;
    } else if (event.type === 'part.ended') reply.parts.push(event.part);
    else if (event.type === 'ended') {
      if (event.isEstimated !== true) reply.usage = event.usage;
      reply.stopReason = event.unknownReason ?? event.stopReason;
    }
  };
  try {
    await provider.stream(asked, signal).read((events) => events.forEach(take));
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
  reply.lastMs = clock.now() - begun;
  return reply;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SHOWN_CHARS = 80;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
