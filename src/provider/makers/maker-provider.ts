import { linkAbort, untilAborted } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import type { Tracing } from '../../telemetry/tracing.js';
import { CallSpan } from '../anthropic/call-span.js';
import { StallTimer } from '../anthropic/read-stream.js';
import { wrappedTools } from '../anthropic/tool-search.js';
import { estimateRequest } from '../estimate-tokens.js';
import type { ModelCall, ModelRequest, OnModelEvents } from '../model-types.js';
import { noStops, streamClosedEarly, streamStalled, unanswered } from '../provider-errors.js';
import { RetryNews, sendAgain } from '../send-again.js';
import { readParts, TOKENS } from './from-parts.js';
import type { MakerKind } from './maker-table.js';
import { mapCallError, type ErrorPlace } from './map-call-error.js';
import type { OpenModel } from './open-maker.js';
import type { StreamPart } from './specification.js';
import { toCall } from './to-call.js';

export interface MakerDeps {
  name: string;
  kind: MakerKind;
  /** Where its requests go, for traces. */
  url: string;
  open: OpenModel;
  errors: ErrorPlace;
  stallTimeoutMs: number;
  /** Longest wait for the beginning of an answer, in ms. */
  requestTimeoutMs: number;
  /** Retries of a call that fails before its answer. */
  maxRetries: number;
  clock: Clock;
  tracing: Pick<Tracing, 'start'>;
}

/** Calls the models of one maker through its package. */
export class MakerProvider {
  constructor(private readonly deps: MakerDeps) {}

  /** @param id the model's name without that of the maker. */
  stream(request: ModelRequest, id: string, signal: AbortSignal): ModelCall {
    const { name, clock, tracing } = this.deps;
    const call = new AbortController();
    const unlink = linkAbort(signal, call);
    const span = new CallSpan({ tracing, clock }, request, name);
    const wrapped = request.toolSearch === 'own' ? wrappedTools(request) : undefined;
    const estimated = estimateRequest(request, TOKENS);
    const news = new RetryNews();
    const opened = this.#open(request, id, { call, span, news });
    // The error is given to whoever reads, also where it comes before.
    opened.catch(() => undefined);
    const read = readParts({
      maker: name,
      estimated,
      wrapped,
    });
    return {
      read: async (onEvents) => {
        try {
          news.readBy(onEvents);
          await this.#readAll(opened, { call, span, read }, onEvents);
        } catch (error) {
          if (!signal.aborted) span.failed(error);
          throw signal.aborted ? signal.reason : error;
        } finally {
          span.end();
          unlink();
          call.abort();
        }
      },
    };
  }

  /** Sends a request, again where it failed before its answer and may pass: these packages try once. */
  async #open(
    request: ModelRequest,
    id: string,
    { call, span, news }: { call: AbortController; span: CallSpan; news: RetryNews },
  ): Promise<ReadableStream<StreamPart>> {
    const { name, kind, url, open, clock, errors, maxRetries, requestTimeoutMs } = this.deps;
    const { signal } = call;
    signal.throwIfAborted();
    if (request.stopSequences !== undefined && !kind.takesStops) throw noStops(name);
    span.sentTo(url);
    const asked = { ...toCall(request, { name, kind }), abortSignal: signal };
    const send = async (): Promise<ReadableStream<StreamPart>> => {
      const stopTimer = clock.after(requestTimeoutMs, () => call.abort(unanswered(name)));
      try {
        const { stream } = await untilAborted(Promise.resolve(open(id).doStream(asked)), signal);
        return stream;
      } finally {
        stopTimer();
      }
    };
    const toError = (thrown: unknown) => mapCallError(thrown, errors);
    return sendAgain(send, {
      clock,
      signal,
      maxRetries,
      toError,
      tell: (event) => news.tell(event),
    });
  }

  async #readAll(
    opened: Promise<ReadableStream<StreamPart>>,
    {
      call,
      span,
      read,
    }: { call: AbortController; span: CallSpan; read: ReturnType<typeof readParts> },
    onEvents: OnModelEvents,
  ): Promise<void> {
    const { clock, stallTimeoutMs, errors } = this.deps;
    let failure: { error: unknown } | undefined;
    let watch: StallTimer | undefined;
    try {
      const parts = (await opened).getReader();
      watch = new StallTimer(clock, stallTimeoutMs, (stalledMs) =>
        call.abort(streamStalled(stalledMs, errors.maker)),
      );
      for (;;) {
        const { done, value } = await untilAborted(parts.read(), call.signal);
        if (done) throw streamClosedEarly(errors.maker);
        watch.hasInput();
        const events = read(value);
        if (events.length === 0) continue;
        span.received(events);
        try {
          onEvents(events);
        } catch (error) {
          failure = { error };
          throw error;
        }
        if (events.at(-1)?.type === 'ended') return;
      }
    } catch (error) {
      if (failure !== undefined) throw failure.error;
      throw call.signal.aborted ? call.signal.reason : mapCallError(error, errors);
    } finally {
      watch?.stop();
    }
  }
}
