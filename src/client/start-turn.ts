import { newKey } from './new-key.js';
import { TurnpikeError } from './client-errors.js';
import type { Line } from './transport.js';
import { Patience } from './retry-policy.js';
import { readDisposition } from './read-disposition.js';
import { Turn } from './turn.js';
import { WatchedSignal } from './watched-signal.js';

export interface TurnRequest {
  sessionId: string;
  /** May be empty beside an attachment. */
  message: string;
  /** The turn's options: `model`, `tools`, `maxTurns`, `onBusy`, `onDisconnect`, `clientTools`, … */
  opts?: Readonly<Record<string, unknown>>;
  /** Files that were sent before, or paths on the server's machine. */
  attachments?: readonly (string | { id: string })[];
  /** Ends the request, and the reading of the turn; `interrupt` ends the turn. */
  signal?: AbortSignal;
  /** Names the request: a repeat joins the first turn. Default: one of its own. */
  idempotencyKey?: string;
}

/**
 * Asks for a turn until it is known what became of it: the same request goes out again where the
 * answer was lost, under one key, and starts one turn.
 *
 * @throws TurnpikeError when the server refuses; ConnectionLostError when it did not answer for too
 *   long; the signal's reason.
 */
export async function startTurn(line: Line, request: TurnRequest): Promise<Turn> {
  const { signal, idempotencyKey = newKey() } = request;
  const patience = new Patience(line, signal);
  for (let isRepeat = false; ; isRepeat = true) {
    const watched = new WatchedSignal(line.clock, line.stallMs, signal);
    try {
      return await ask(line, { ...request, idempotencyKey }, watched);
    } catch (error) {
      watched.close();
      signal?.throwIfAborted();
      if (error instanceof TurnpikeError && isAnswer(error, isRepeat)) throw error;
      await patience.wait(error, () => line.lost(error));
    }
  }
}

async function ask(
  line: Line,
  request: TurnRequest & { idempotencyKey: string },
  watched: WatchedSignal,
): Promise<Turn> {
  const { sessionId, message, opts, attachments = [], signal, idempotencyKey } = request;
  const files = attachments.map((file) => (typeof file === 'string' ? file : file.id));
  const asking = line.open({
    method: 'POST',
    path: '/api/harness/turn',
    body: { sessionId, message, ...(opts === undefined ? {} : { opts }), attachments: files },
    headers: { 'idempotency-key': idempotencyKey },
    signal: watched.signal,
  });
  const response = await watched.watch(asking);
  const turnId = response.headers.get('x-turn-id');
  if (turnId === null) throw notTurnpike(response.status);
  const disposition = readDisposition(response.headers.get('x-turn-disposition'));
  return new Turn(line, disposition, sessionId, { turnId, signal, opened: { response, watched } });
}

/**
 * Whether it says what became of the turn. A server that is to be asked again later, and what
 * stands before one, may have spoken after the turn was accepted; so may have what a repeat met, but for
 * a busy session: a repeat finds its own turn by its key, so that turn is another one.
 */
function isAnswer({ code, status, retryable }: TurnpikeError, isRepeat: boolean): boolean {
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
