import { newKey, type Transport } from '../transport/transport.js';
import { TurnpikeError } from '../transport/client-errors.js';
import type { TurnOptions, Disposition } from '../server-types.js';
import { RetryPolicy } from '../transport/retry-policy.js';
import { StallSignal } from '../transport/receive-frames.js';
import { Turn } from './turn.js';
import type { ObjectOf } from './schema-type.js';
import type { TurnResult } from './turn-result.js';

export interface TurnRequest {
  sessionId: string;
  /** May be empty beside an attachment. */
  message: string;
  /** The turn's options: `model`, `tools`, `maxTurns`, `onBusy`, `onDisconnect`, `clientTools`, … */
  opts?: Readonly<TurnOptions>;
  /**
   * Uploaded files, files of earlier messages, or paths on the server's machine. Default: none, or those of the turn
   * that `opts.replaces` names.
   */
  attachments?: readonly (string | { id: string })[];
  /** What the application says to the model beside the user: in the system prompt of this turn alone. */
  instructions?: string;
  /** Stops the request and the reading of the turn; `interrupt` ends the turn. */
  signal?: AbortSignal;
  /** A request with the same key follows the first turn. Default: a new key. */
  idempotencyKey?: string;
}

/** A turn that is to end with an object of the JSON Schema. */
export interface ObjectRequest<Schema> extends Omit<TurnRequest, 'opts'> {
  opts: Readonly<Omit<TurnOptions, 'output'>> & {
    readonly output: { readonly schema: Schema; readonly repairs?: number };
  };
}

/** A turn whose result has the type that its schema describes. */
export type ObjectTurn<Schema> = {
  result(): Promise<Omit<TurnResult, 'output'> & { output?: ObjectOf<Schema> }>;
} & Turn;

/**
 * Submits a turn. Where the answer is lost, the same request goes out again under the same key, so that
 * only one turn starts.
 *
 * @throws TurnpikeError when the server refuses; ConnectionLostError when it did not answer for too
 *   long; the signal's reason.
 */
export async function startTurn(transport: Transport, request: TurnRequest): Promise<Turn> {
  const { signal, idempotencyKey = newKey() } = request;
  const retryPolicy = new RetryPolicy(transport, signal);
  for (let isRepeat = false; ; isRepeat = true) {
    const stallSignal = new StallSignal(transport, signal);
    try {
      return await ask(transport, { ...request, idempotencyKey }, stallSignal);
    } catch (error) {
      stallSignal.close();
      signal?.throwIfAborted();
      if (error instanceof TurnpikeError && isFinalAnswer(error, isRepeat)) throw error;
      await retryPolicy.wait(error, () => transport.lost(error));
    }
  }
}

async function ask(
  transport: Transport,
  request: TurnRequest & { idempotencyKey: string },
  stallSignal: StallSignal,
): Promise<Turn> {
  const { sessionId, message, opts, instructions, signal, idempotencyKey } = request;
  const attachments = request.attachments?.map((file) =>
    typeof file === 'string' ? file : file.id,
  );
  const asking = transport.open({
    method: 'POST',
    path: '/api/harness/turn',
    // What is undefined is in no JSON.
    body: { sessionId, message, opts, attachments, instructions },
    headers: { 'idempotency-key': idempotencyKey },
    signal: stallSignal.signal,
  });
  const response = await stallSignal.guard(asking);
  const turnId = response.headers.get('x-turn-id');
  if (turnId === null) throw notTurnpike(response.status);
  const disposition = parseTurnDisposition(response.headers.get('x-turn-disposition'));
  return new Turn(transport, disposition, sessionId, {
    turnId,
    signal,
    connection: { response, stallSignal },
  });
}

/**
 * Whether the error proves that no turn was accepted. A retryable error does not: a proxy or a stopping
 * server may send it after the turn was stored. Nor does one of a repeat, unless it is
 * `TURN_IN_PROGRESS`: a repeat finds its own turn by its key, so the active turn is a different one.
 */
function isFinalAnswer({ code, status, retryable }: TurnpikeError, isRepeat: boolean): boolean {
  return !retryable || code === 'TURN_IN_PROGRESS' || (status < 500 && !isRepeat);
}

function notTurnpike(status: number): TurnpikeError {
  return new TurnpikeError('UNREADABLE_ANSWER', {
    status,
    message:
      'The answer names no turn: check that the address is that of a Turnpike server, and that what stands before it passes X-Turn-Id on.',
    retryable: false,
  });
}

/** Parses the header `X-Turn-Disposition`: `enqueued; position=2`. Default: `started`. Pure. */
export function parseTurnDisposition(header: string | null): Disposition {
  const [type = '', ...parts] = (header ?? '').split(';').map((part) => part.trim());
  const parameters = new Map(parts.map((part) => splitAt(part, '=')));
  switch (type) {
    case 'repeated':
      return { type };
    case 'enqueued':
      return { type, position: Number(parameters.get('position') ?? 1) };
    case 'interrupting':
      return { type, turnId: parameters.get('turn') };
    case 'steered':
      return { type, messageId: parameters.get('message') ?? '' };
    default:
      return { type: 'started' };
  }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}
