import { linkAbort, untilAborted } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import type { Tracing } from '../../telemetry/tracing.js';
import { CallSpan } from '../anthropic/call-span.js';
import { StallTimer } from '../anthropic/read-stream.js';
import { wrappedTools } from '../anthropic/tool-search.js';
import { estimateRequest } from '../estimate-tokens.js';
import type { ModelCall, ModelRequest, OnModelEvents } from '../model-types.js';
import { noStops, streamClosedEarly, streamStalled } from '../provider-errors.js';
import { readParts } from './from-parts.js';
import type { MakerKind } from './maker-table.js';
import { mapCallError, type ErrorPlace } from './map-call-error.js';
import type { OpenModel } from './open-maker.js';
import type { StreamPart } from './specification.js';
import { toCall } from './to-call.js';

/** Tokens of these models' tokenizers, by those of Claude's up to 4.6: an estimate that is too high is the safe one. */
const TOKENS = { tokenScale: 1.3 };

export interface MakerDeps {
  name: string;
  kind: MakerKind;
  /** Where its requests go, for traces. */
  url: string;
  open: OpenModel;
  errors: ErrorPlace;
  stallTimeoutMs: number;
  clock: Clock;
  tracing: Pick<Tracing, 'start'>;
}

/** Calls the models of one maker through its package. */
export class MakerProvider {
  constructor(private readonly deps: MakerDeps) {}

  /** @param id the model's name without that of the maker. */
  stream(request: ModelRequest, id: string, signal: AbortSignal): ModelCall {
    const { name, kind, url, open, clock, tracing } = this.deps;
    const call = new AbortController();
    const unlink = linkAbort(signal, call);
    const span = new CallSpan({ tracing, clock }, request, name);
    const wrapped = wrappedTools(request);
    const estimated = estimateRequest(request, TOKENS);
    const opened = (async () => {
      signal.throwIfAborted();
      if (request.stopSequences !== undefined && !kind.takesStops) throw noStops(name);
      span.sentTo(url);
      const asked = { ...toCall(request, { name, kind }), abortSignal: call.signal };
      return (await open(id).doStream(asked)).stream;
    })();
    const read = readParts({ maker: name, estimated, wrapped });
    return {
      read: async (onEvents) => {
        try {
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
        call.abort(streamStalled(stalledMs)),
      );
      for (;;) {
        const { done, value } = await untilAborted(parts.read(), call.signal);
        if (done) throw streamClosedEarly();
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
