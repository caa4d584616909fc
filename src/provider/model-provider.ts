import type { ModelDescription } from './model-catalogue.js';
import type { DescribedOrNot } from './model-resolver.js';
import type { ModelCall, ModelRequest } from './model-types.js';
import type { ProviderMode } from './provider-config.js';

/** Whoever has the models of turns: Anthropic's API or a server that speaks it, the rehearsal, or several makers. */
export abstract class ModelProvider {
  abstract readonly mode: ProviderMode;

  /**
   * Checks key and address before a stream opens. No I/O.
   *
   * @throws 503 `MISSING_API_KEY`; 400 `SDK_FAILURE` with category `INVALID_BASE_URL` or `NETWORK_POLICY_VIOLATION`.
   */
  abstract assertReady(): void;

  /** The model as clients see it: its name, or `rehearsal`. */
  abstract modelLabel(model: string): string;

  /**
   * Checks at boot that the place takes the key and has the model. A place that cannot say passes.
   *
   * @throws `SDK_FAILURE`: 500 for every refusal, with `{category, upstreamStatus}`; 503 for a missing key; what `stream`
   * throws where no answer came. The signal's reason when it aborts.
   */
  abstract checkModel(model: string, signal?: AbortSignal): Promise<void>;

  /**
   * All models, retired ones included.
   *
   * @returns undefined where there is no list.
   * @throws what `stream` throws; the signal's reason when it aborts.
   */
  abstract listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined>;

  /**
   * The model of a name or alias.
   *
   * @returns `missing` where the place does not have the model, `no-route` where it does not describe models,
   * `not-described` where the operator must, and has not.
   * @throws as `listModels`.
   */
  abstract describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot>;

  /**
   * The provider's count of a request's input tokens, which may have a rate limit of its own. Never retried.
   *
   * @throws what `stream` throws; `SDK_FAILURE` 502 (`API_RESPONSE_ERROR`) for an answer without a count, and where the
   * place counts no tokens, which it is asked once.
   */
  abstract countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;

  /** Calls the model, at once (see `ModelCall`). Aborting `signal` closes the connection: a caller that does not read must abort. */
  abstract stream(request: ModelRequest, signal: AbortSignal): ModelCall;
}
