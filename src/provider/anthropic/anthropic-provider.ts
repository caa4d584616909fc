import type Anthropic from '@anthropic-ai/sdk';
import { linkAbort } from '../../platform/abort.js';
import type { Clock } from '../../platform/clock.js';
import { checkEgress } from '../egress-policy.js';
import type { ModelEvent, ModelRequest } from '../model-types.js';
import type { ModelDescription } from '../models/model-description.js';
import type { DescribedOrNot } from '../models/model-resolver.js';
import { lifecycles } from '../models/model.js';
import {
  malformedStream,
  missingApiKey,
  streamClosedEarly,
  streamStalled,
} from '../provider-errors.js';
import type { ProviderMode, ProviderConfig } from '../provider-config.js';
import { requestProfiles, type RequestProfile } from '../request-profile.js';
import { secretRedactor } from '../redact-secrets.js';
import { createClient } from './create-client.js';
import type { AnthropicClientOptions } from './create-client.js';
import { describeModel } from './describe-model.js';
import { mapError, mapRefusal } from './map-error.js';
import { deniesModel, lacksRoute } from './model-routes.js';
import { finishBody, openBody } from './response-body.js';
import type { ResponseReader } from './response-body.js';
import { createStreamParser } from './parse-stream.js';
import { StallWatch } from './stall-watch.js';
import { toCountRequest, toRequest } from './to-request.js';

/** More than any provider has: a list that never ends must. */
const MOST_MODELS = 2_000;

/** The loopback server takes any key, and must never see a real one. */
const REHEARSAL_KEY = 'rehearsal';

/**
 * Calls the model over the Messages API, at Anthropic, at a gateway or in rehearsal. The SDK does
 * authentication, timeouts and retries up to the answer's headers; from there on the stream is read
 * here, and nothing is tried again.
 */
export class AnthropicProvider {
  readonly mode: ProviderMode;
  /** What may be sent. */
  readonly profile: RequestProfile;
  readonly #settings: ProviderConfig;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  #client: Anthropic | undefined;

  constructor(settings: ProviderConfig, clock: Clock) {
    this.mode = settings.mode;
    // The rehearsal speaks the API's own wire.
    this.profile =
      requestProfiles[(settings.mode === 'anthropic' && settings.profile) || 'anthropic'];
    this.#settings = settings;
    this.#clock = clock;
    const { apiKey, secrets = [] } = settings;
    this.#redact = secretRedactor(apiKey === undefined ? secrets : [apiKey, ...secrets]);
  }

  /**
   * The check before a stream opens. No I/O.
   *
   * @throws 503 `MISSING_API_KEY`; 400 `SDK_FAILURE` with category `INVALID_BASE_URL` or
   * `NETWORK_POLICY_VIOLATION`.
   */
  assertReady(): void {
    this.#target('MISSING_API_KEY');
  }

  /** What clients see as the model: its name, or `rehearsal`. */
  modelLabel(model: string): string {
    return this.mode === 'rehearsal' ? 'rehearsal' : model;
  }

  /**
   * The check at boot: whether the provider takes the key and knows the model. One small request,
   * no completion. A provider without the route is taken at its word.
   *
   * @throws `SDK_FAILURE`: 500 for every refusal, with `{category, upstreamStatus}`; 503 for a
   * missing key; what `stream` throws where no answer came. The signal's reason when it aborts.
   */
  async checkModel(model: string, signal?: AbortSignal): Promise<void> {
    const client = this.#open('SDK_FAILURE');
    if (!this.profile.hasModels) return;
    try {
      await client.models.retrieve(model, null, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (lacksRoute(error, model)) return;
      throw mapRefusal(error, model, this.#redact);
    }
  }

  /**
   * All models of the provider, those that are retired among them.
   *
   * @returns undefined where it has no list.
   * @throws what `stream` throws; the signal's reason when it aborts.
   */
  async listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined> {
    const client = this.#open('MISSING_API_KEY');
    if (!this.profile.hasModels) return undefined;
    const query = { lifecycle: [...lifecycles], limit: 1_000 };
    const listed: ModelDescription[] = [];
    try {
      for await (const info of client.models.list(query, { signal })) {
        const described = describeModel(info);
        if (described !== undefined) listed.push({ ...described, isListed: true });
        if (listed.length >= MOST_MODELS) break;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (lacksRoute(error)) return undefined;
      throw mapError(error, this.#redact);
    }
    return listed.length === 0 ? undefined : listed;
  }

  /**
   * One model, by a name that the provider may know as another one's.
   *
   * @returns `missing` where the provider says that it has no such model, `no-route` where it has no
   * such route.
   * @throws as `listModels`.
   */
  async describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot> {
    const client = this.#open('MISSING_API_KEY');
    if (!this.profile.hasModels) return 'no-route';
    try {
      const info = await client.models.retrieve(name, null, { signal, maxRetries: 0 });
      return describeModel(info) ?? 'no-route';
    } catch (error) {
      signal.throwIfAborted();
      if (lacksRoute(error, name)) return 'no-route';
      if (deniesModel(error, name)) return 'missing';
      throw mapError(error, this.#redact);
    }
  }

  /**
   * Tokens of a request's input by the provider's own count, which is free and has a rate limit of
   * its own. One try.
   *
   * @throws what `stream` throws; `SDK_FAILURE` 502 (`API_RESPONSE_ERROR`) for an answer without a count.
   */
  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const client = this.#open('MISSING_API_KEY');
    try {
      const params = toCountRequest(request);
      const counted = await client.messages.countTokens(params, { signal, maxRetries: 0 });
      const tokens: unknown = counted.input_tokens;
      if (typeof tokens !== 'number') throw malformedStream('a count of tokens has no number');
      return tokens;
    } catch (error) {
      signal.throwIfAborted();
      throw mapError(error, this.#redact);
    }
  }

  /**
   * One model call. Yields what one piece of the network held together, so that nothing is awaited
   * per delta; `ended` is the last event of the last batch. Leaving the loop early, or aborting
   * `signal`, closes the connection.
   *
   * @throws a `TypedError` of `mapError`, after everything that came before it was yielded; 504
   * with `stalledMs` when nothing came for `stallTimeoutMs`; the signal's reason when it aborts.
   */
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent[]> {
    signal.throwIfAborted();
    const client = this.#open('MISSING_API_KEY');
    // One controller a call: the SDK's listener on a turn's signal would outlive the call.
    const call = new AbortController();
    const unlink = linkAbort(signal, call);
    let watch: StallWatch | undefined;
    let body: ResponseReader | undefined;
    let ended = false;
    try {
      const params = toRequest(request, this.profile);
      const response = await client.messages.create(params, { signal: call.signal }).asResponse();
      body = openBody(response);
      watch = new StallWatch(this.#clock, this.#settings.stallTimeoutMs, (stalledMs) =>
        call.abort(streamStalled(stalledMs)),
      );
      const read = createStreamParser();
      while (!ended) {
        call.signal.throwIfAborted();
        watch.waits();
        const piece = await body.read();
        watch.hasInput();
        if (piece.done) throw streamClosedEarly();
        const batch = read(piece.value);
        ended = batch.ended;
        if (batch.events.length > 0) yield batch.events;
        if (batch.error !== undefined) throw batch.error;
      }
    } catch (error) {
      // The reason is the caller's, or the stall's; what the SDK made of the abort says less.
      if (call.signal.aborted) throw call.signal.reason;
      throw mapError(error, this.#redact);
    } finally {
      unlink();
      watch?.stop();
      const reusable = ended && body !== undefined && (await finishBody(body, this.#clock));
      if (!reusable) call.abort();
    }
  }

  #open(missingKeyType: 'MISSING_API_KEY' | 'SDK_FAILURE'): Anthropic {
    const target = this.#target(missingKeyType);
    this.#client ??= createClient({
      ...target,
      egressPrivateHosts: this.#settings.egressPrivateHosts,
      apiVersion: this.#settings.apiVersion,
      profile: this.profile,
      requestTimeoutMs: this.#settings.requestTimeoutMs,
      maxRetries: this.#settings.maxRetries,
    });
    return this.#client;
  }

  #target(
    missingKeyType: 'MISSING_API_KEY' | 'SDK_FAILURE',
  ): Pick<AnthropicClientOptions, 'apiKey' | 'baseUrl' | 'origin'> {
    const apiKey = this.mode === 'rehearsal' ? REHEARSAL_KEY : this.#settings.apiKey;
    if (apiKey === undefined) throw missingApiKey(missingKeyType);
    const verdict = checkEgress(this.#settings);
    if (!verdict.ok) throw verdict.error;
    return { apiKey, baseUrl: verdict.baseUrl, origin: verdict.origin };
  }
}
