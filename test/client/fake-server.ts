export interface FakeFrame {
  id: string;
  text: string;
}

/** The frames of a turn with `words` deltas, as the harness wire encodes them. */
export function turnFrames(turnId: string, words: number): FakeFrame[] {
  const bodies: [string, object][] = [
    ['session:init', { model: 'm', sessionId: 'sess_1', messageId: 'msg_1' }],
    ['step:start', { step: 1 }],
    ...Array.from({ length: words }, (_, index): [string, object] => [
      'chat:delta',
      { text: `word${index} `, step: 1 },
    ]),
    ['turn:end', { outcome: 'completed', exitCode: 0, reason: 'end_turn', durationMs: 1 }],
    ['process:exit', { exitCode: 0 }],
  ];
  return bodies.map(([event, data], index) => {
    const id = `${turnId}:1.${index + 1}`;
    return { id, text: `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n` };
  });
}

export interface FakeServerOptions {
  /** The answers to the first requests, in order; `serve` and every later request is served. */
  before?: (Error | Response | 'serve')[];
  /** The number of characters after which each connection breaks, in order; later connections are whole. */
  cutAfter?: number[];
  /** Whether a broken connection stays open and silent. */
  hang?: boolean;
  chunkLength?: number;
}

/** A response with a stream of events. */
export function eventStream(
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream', ...headers } });
}

/** Serves one turn's frames through `fetch`, with faults on order. No sockets, no time. */
export class FakeServer {
  /** `Last-Event-ID` of each request for the events. */
  readonly cursors: (string | undefined)[] = [];
  readonly requests: { path: string; headers: Headers }[] = [];
  chunksSent = 0;
  cancelled = 0;
  readonly #before: FakeServerOptions['before'];
  readonly #cuts: number[];

  constructor(
    private readonly frames: readonly FakeFrame[],
    private readonly options: FakeServerOptions = {},
  ) {
    this.#before = [...(options.before ?? [])];
    this.#cuts = [...(options.cutAfter ?? [])];
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const { pathname: path } = new URL(new Request(input).url);
    const headers = new Headers(init?.headers);
    this.requests.push({ path, headers });
    if (path === '/api/harness/turns/turn_1') {
      return Response.json({ turn: { endedAt: '2026-01-01T00:00:00Z' } });
    }
    const cursor = headers.get('last-event-id') ?? undefined;
    if (path.endsWith('/events')) this.cursors.push(cursor);
    const met = this.#before?.shift() ?? 'serve';
    if (met instanceof Response) return met;
    if (met instanceof Error) throw new TypeError('fetch failed', { cause: met });
    const from = this.frames.findIndex(({ id }) => id === cursor) + 1;
    const text = this.frames
      .slice(from)
      .map((frame) => frame.text)
      .join('');
    if (from > 0 && text === '') return new Response(null, { status: 204 });
    return eventStream(this.#body(text, init?.signal ?? undefined), {
      'x-turn-id': 'turn_1',
      'x-turn-disposition': 'started',
    });
  };

  #body(text: string, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
    const bytes = new TextEncoder().encode(text);
    const cut = this.#cuts.shift();
    const { hang = false, chunkLength = 64 } = this.options;
    const until = Math.min(cut ?? Infinity, bytes.length);
    let at = 0;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const leave = (): void => {
            this.cancelled += 1;
            controller.error(signal?.reason);
          };
          signal?.addEventListener('abort', leave, { once: true });
        },
        pull: (controller) => {
          if (at < until) {
            const end = Math.min(until, at + chunkLength);
            controller.enqueue(bytes.slice(at, end));
            at = end;
            this.chunksSent += 1;
          } else if (until === bytes.length) {
            controller.close();
          } else if (!hang) {
            controller.error(new TypeError('terminated'));
          }
        },
      },
      { highWaterMark: 0 },
    );
  }
}
