import { linkAbort } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import { checkEgress } from './check-egress.js';
import { createClient, type ClientTarget } from './create-client.js';
import type { MessagesClient } from './messages-client.js';
import type { Tracing } from '../../telemetry/tracing.js';
import type { ModelCall, ModelRequest, OnModelEvents } from '../model-types.js';
import type { ModelDescription } from '../model-catalogue.js';
import type { DescribedOrNot } from '../model-resolver.js';
import { lifecycles } from '../model.js';
import type { ModelProvider } from '../model-provider.js';
import {
  malformedStream,
  missingApiKey,
  noCount,
  noStops,
  streamClosedEarly,
  streamStalled,
} from '../provider-errors.js';
import type { ProviderMode, ProviderConfig } from '../provider-config.js';
import { requestProfiles, type RequestProfile } from './request-profile.js';
import { secretRedactor } from '../../platform/text/redact.js';
import { describeModel, deniesModel, lacksRoute } from './describe-model.js';
import { mapError, mapRefusal, sourceOf, type ErrorSource } from './map-error.js';
import { finishBody, openBody, createStreamParser, StallTimer } from './read-stream.js';
import type { ChunkSource, OnChunk } from '../../platform/net/dispatch-fetch.js';
import { RetryNews, sendAgain } from '../send-again.js';
import { CallSpan } from './call-span.js';
import { asksAgain } from './sdk-error.js';
import { toBody, toCountRequest, toHead } from './to-request.js';
import { wrappedTools } from './tool-search.js';

/** Bound of a list that never ends; more than any provider has. */
const MAX_MODELS = 2_000;

/** The key in rehearsal: the loopback server takes any, and must never get a real one. */
const REHEARSAL_KEY = 'rehearsal';

/** A call that is under way. */
interface OpenCall {
  call: AbortController;
  span: CallSpan;
  news: RetryNews;
  /** The caller's. */
  signal: AbortSignal;
  /** Detaches the call from the caller's signal. */
  unlink(): void;
  /** The tools that are called by `use_tool`; undefined: all are called by their names. */
  wrapped: ReadonlySet<string> | undefined;
}

/**
 * Calls the model over the Messages API, at Anthropic, at a gateway, at another server or in rehearsal. The SDK does
 * authentication, timeouts and retries up to the answer's headers; the stream is read here, without
 * retries.
 */
export class AnthropicProvider implements ModelProvider {
  readonly mode: ProviderMode;
  readonly profile: RequestProfile;
  readonly #config: ProviderConfig;
  readonly #clock: Clock;
  readonly #tracing: Pick<Tracing, 'start'>;
  readonly #redact: (text: string) => string;
  /** Whose errors they are. */
  readonly #source: ErrorSource;
  #target: ClientTarget | undefined;
  #client: MessagesClient | undefined;
  /** Whether the server has said that it counts no tokens. */
  #hasNoCount = false;

  constructor(config: ProviderConfig, clock: Clock, tracing: Pick<Tracing, 'start'>) {
    this.mode = config.mode;
    this.profile = requestProfiles[(config.mode === 'anthropic' && config.profile) || 'anthropic'];
    this.#config = config;
    this.#clock = clock;
    this.#tracing = tracing;
    this.#source = sourceOf(this.profile);
    const { apiKey, secrets = [] } = config;
    this.#redact = secretRedactor(apiKey === undefined ? secrets : [apiKey, ...secrets]);
  }

  assertReady(): void {
    this.#checkTarget('MISSING_API_KEY');
  }

  modelLabel(model: string): string {
    return this.mode === 'rehearsal' ? 'rehearsal' : model;
  }

  async checkModel(model: string, signal?: AbortSignal): Promise<void> {
    const client = this.#open('SDK_FAILURE');
    if (!this.profile.hasModels) return;
    try {
      await client.models.retrieve(model, null, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (lacksRoute(error, model)) return;
      throw mapRefusal(error, model, this.#redact, this.#source);
    }
  }

  async listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined> {
    const client = this.#open('MISSING_API_KEY');
    if (!this.profile.hasModels) return undefined;
    const query = { lifecycle: [...lifecycles], limit: 1_000 };
    const listed: ModelDescription[] = [];
    try {
      for await (const info of client.models.list(query, { signal })) {
        const described = describeModel(info);
        if (described !== undefined) listed.push({ ...described, isListed: true });
        if (listed.length >= MAX_MODELS) break;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (lacksRoute(error)) return undefined;
      throw mapError(error, this.#redact, this.#source);
    }
    return listed.length === 0 ? undefined : listed;
  }

  async describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot> {
    const client = this.#open('MISSING_API_KEY');
    if (!this.profile.hasModels) return this.#config.cloud?.describe(name) ?? 'no-route';
    try {
      const info = await client.models.retrieve(name, null, { signal, maxRetries: 0 });
      return describeModel(info) ?? 'no-route';
    } catch (error) {
      signal.throwIfAborted();
      if (lacksRoute(error, name)) return 'no-route';
      if (deniesModel(error, name)) return 'missing';
      throw mapError(error, this.#redact, this.#source);
    }
  }

  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const client = this.#open('MISSING_API_KEY');
    if (this.#hasNoCount || !this.profile.hasCount) throw noCount();
    try {
      const { request: sent, headers } = this.#config.cloud?.named(request) ?? { request };
      const params = toCountRequest(sent, this.profile);
      const options = { signal, headers, maxRetries: 0 };
      const counted = await client.messages.countTokens(params, options);
      const tokens: unknown = counted.input_tokens;
      if (typeof tokens !== 'number') throw malformedStream('a count of tokens has no number');
      return tokens;
    } catch (error) {
      signal.throwIfAborted();
      this.#hasNoCount = this.profile.name !== 'anthropic' && lacksRoute(error, request.model);
      throw mapError(error, this.#redact, this.#source);
    }
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelCall {
    // A controller for each call: the SDK's listener on a turn's signal would outlive the call.
    const call = new AbortController();
    const unlink = linkAbort(signal, call);
    const traced = { tracing: this.#tracing, clock: this.#clock };
    const span = new CallSpan(traced, request, this.profile.cloud?.traced);
    // Not in what reads, which would keep the request for as long as its stream.
    const news = new RetryNews();
    const opened = this.#send(request, { call, span, news });
    const wrapped = request.toolSearch === 'own' ? wrappedTools(request) : undefined;
    const open = { call, span, news, signal, unlink, wrapped };
    return { read: (onEvents) => this.#read(opened, open, onEvents) };
  }

  async #send(
    request: ModelRequest,
    { call: { signal }, span, news }: Pick<OpenCall, 'call' | 'span' | 'news'>,
  ): Promise<ChunkSource> {
    signal.throwIfAborted();
    const client = this.#open('MISSING_API_KEY');
    if (request.stopSequences !== undefined && !this.profile.takesStops) {
      throw noStops(this.profile.name);
    }
    span.sentTo(client.baseURL);
    // The SDK sends a text unchanged if the headers give its type. Most of this text was made for earlier requests.
    const named = this.#config.cloud?.named(request) ?? { request };
    const params = { ...toHead(named.request, this.profile), messages: [] };
    const body = toBody(named.request, this.profile);
    const headers = { ...named.headers, 'content-type': 'application/json' };
    // Not again by the SDK, which tells nobody.
    const send = (failures: number): Promise<Response> => {
      const counted = { ...headers, 'x-stainless-retry-count': String(failures) };
      const options = { signal, headers: counted, body, maxRetries: 0 };
      return client.messages.create(params, options).asResponse();
    };
    const response = await sendAgain(send, {
      clock: this.#clock,
      signal,
      maxRetries: this.#config.maxRetries,
      toError: (thrown) => mapError(thrown, this.#redact, this.#source),
      wanted: asksAgain,
      tell: (event) => news.tell(event),
    });
    return openBody(response);
  }

  async #read(
    opened: Promise<ChunkSource>,
    { call, span, news, signal, unlink, wrapped }: OpenCall,
    onEvents: OnModelEvents,
  ): Promise<void> {
    let watch: StallTimer | undefined;
    let body: ChunkSource | undefined;
    let ended = false;
    let failure: { error: unknown } | undefined;
    const give: OnModelEvents = (events) => {
      try {
        onEvents(events);
      } catch (error) {
        failure = { error };
        throw error;
      }
    };
    try {
      news.readBy(give);
      body = await opened;
      watch = new StallTimer(this.#clock, this.#config.stallTimeoutMs, (stalledMs) =>
        call.abort(streamStalled(stalledMs)),
      );
      const { mayOmitStart } = this.profile;
      ended = await body.readUntil(eventReader({ watch, span, give, wrapped, mayOmitStart }));
      if (!ended) throw streamClosedEarly();
    } catch (error) {
      if (failure !== undefined) throw failure.error;
      // The reason of the caller or of the stall: the SDK's error says only that it was aborted.
      const mapped: unknown = call.signal.aborted
        ? call.signal.reason
        : mapError(error, this.#redact, this.#source);
      // A caller that aborts has no use for the reply: the call did not fail.
      if (!signal.aborted) span.failed(mapped);
      throw mapped;
    } finally {
      span.end();
      unlink();
      watch?.stop();
      const reusable = ended && body !== undefined && (await finishBody(body, this.#clock));
      if (!reusable) call.abort();
    }
  }

  #open(missingKeyType: 'MISSING_API_KEY' | 'SDK_FAILURE'): MessagesClient {
    const target = this.#checkTarget(missingKeyType);
    return (this.#client ??= createClient(target, this.#config, this.profile));
  }

  /** Checked once, as the configuration is constant; a target that is refused is refused each time. */
  #checkTarget(missingKeyType: 'MISSING_API_KEY' | 'SDK_FAILURE'): ClientTarget {
    if (this.#target !== undefined) return this.#target;
    const apiKey = this.mode === 'rehearsal' ? REHEARSAL_KEY : this.#config.apiKey;
    const { needsKey, name } = this.profile;
    if (apiKey === undefined && needsKey) {
      throw missingApiKey(missingKeyType, name === 'anthropic' ? undefined : name);
    }
    return (this.#target = { apiKey, ...checkEgress(this.#config) });
  }
}

/** Reads the chunks of a reply, and gives its events, until the last. */
function eventReader({
  watch,
  span,
  give,
  wrapped,
  mayOmitStart,
}: Pick<OpenCall, 'span' | 'wrapped'> &
  Pick<RequestProfile, 'mayOmitStart'> & { watch: StallTimer; give: OnModelEvents }): OnChunk {
  const parse = createStreamParser(wrapped, mayOmitStart);
  return (chunk) => {
    const { events, ended, error } = parse(chunk);
    span.received(events);
    if (events.length > 0) give(events);
    if (error !== undefined) throw error;
    watch.hasInput();
    return ended;
  };
}
