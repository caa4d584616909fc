import type { OpenSpan, Tracing } from '../../telemetry/tracing.js';
import { attributes, spanNames } from '../../telemetry/span-names.js';
import { compact } from '../../platform/compact.js';
import type { Clock } from '../../platform/clock.js';
import type { AssistantPart, Usage } from '../../storage/shapes/stored-step.js';
import type { ModelEvent, ModelRequest } from '../model-types.js';
import { providerDetails } from '../provider-errors.js';
import { describeMessages, describeReply } from './traced-content.js';

type Started = Extract<ModelEvent, { type: 'started' }>;
type Ended = Extract<ModelEvent, { type: 'ended' }>;

/**
 * The span of a model call: from the request, over the SDK's retries, until the stream was read. It costs
 * nothing for each delta.
 */
export class CallSpan {
  readonly #span: OpenSpan;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #startedAt: number;
  readonly #parts: AssistantPart[] = [];
  /** Asked once: a span records, or does not, from its start to its end. */
  readonly #isRecording: boolean;
  #isAwaited = true;

  constructor(
    deps: { tracing: Pick<Tracing, 'start'>; clock: Pick<Clock, 'now'> },
    request: ModelRequest,
    maker = 'anthropic',
  ) {
    this.#clock = deps.clock;
    this.#startedAt = deps.clock.now();
    this.#span = deps.tracing.start(spanNames.chat(request.model), {
      kind: 'client',
      attributes: {
        [attributes.operation]: 'chat',
        [attributes.provider]: maker,
        [attributes.requestModel]: request.model,
      },
    });
    this.#isRecording = this.#span.isRecording;
    if (!this.#isRecording) return;
    this.#span.set({
      [attributes.requestStream]: true,
      [attributes.requestMaxTokens]: request.maxTokens,
    });
    if (!this.#span.showsContent) return;
    this.#span.show(attributes.systemInstructions, [{ type: 'text', content: request.system }]);
    this.#span.show(attributes.inputMessages, describeMessages(request.messages));
  }

  /** @param origin of the provider. */
  sentTo(origin: string): void {
    if (!this.#isRecording) return;
    const { hostname, port, protocol } = new URL(origin);
    const usual = protocol === 'http:' ? 80 : 443;
    this.#span.set({
      [attributes.serverAddress]: hostname.replace(/^\[(.*)\]$/, '$1'),
      [attributes.serverPort]: port === '' ? usual : Number(port),
    });
  }

  /** Looks at a chunk's events: at the first and the last alone, unless the span is to have the reply. */
  received(events: readonly ModelEvent[]): void {
    if (!this.#isRecording) return;
    const [first] = events;
    if (this.#isAwaited && first?.type === 'started') this.#began(first);
    if (this.#span.showsContent) {
      for (const event of events) if (event.type === 'part.ended') this.#parts.push(event.part);
    }
    const last = events.at(-1);
    if (last?.type === 'ended') this.#ended(last);
  }

  failed(error: unknown): void {
    const { reason, category } = providerDetails(error);
    const type = reason ?? category;
    this.#span.fail(typeof type === 'string' ? type : '_OTHER');
  }

  end(): void {
    this.#span.end();
  }

  #began({ responseId, model }: Started): void {
    this.#isAwaited = false;
    this.#span.set(
      compact({
        [attributes.timeToFirstChunk]: (this.#clock.now() - this.#startedAt) / 1_000,
        [attributes.responseId]: responseId,
        [attributes.responseModel]: model,
      }),
    );
  }

  #ended({ stopReason, unknownReason, usage }: Ended): void {
    const reason = unknownReason ?? stopReason;
    this.#span.set({ ...usageAttributes(usage), [attributes.finishReasons]: [reason] });
    if (this.#span.showsContent) {
      this.#span.show(attributes.outputMessages, [describeReply(this.#parts, stopReason)]);
    }
  }
}

/** By the conventions, cached input is a part of the input. */
function usageAttributes(usage: Usage) {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, thinkingTokens } = usage;
  return compact({
    [attributes.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [attributes.cacheReadTokens]: cacheReadTokens,
    [attributes.cacheWriteTokens]: cacheWriteTokens,
    [attributes.outputTokens]: outputTokens,
    [attributes.reasoningTokens]: thinkingTokens,
  });
}
