import type { MakerProvider } from './makers/maker-provider.js';
import { splitModel } from './makers/maker-table.js';
import type { ModelDescription } from './model-catalogue.js';
import { ModelProvider } from './model-provider.js';
import type { DescribedOrNot } from './model-resolver.js';
import type { ModelCall, ModelRequest } from './model-types.js';
import { noCount } from './provider-errors.js';

/**
 * Several places of models: `maker/model` goes to a listed maker, every other name to the place that has the Messages
 * API. A maker is asked for calls alone: the operator describes its models.
 */
export class ProviderRouter extends ModelProvider {
  readonly mode = 'anthropic';

  constructor(
    private readonly messages: ModelProvider,
    private readonly makers: ReadonlyMap<string, MakerProvider>,
  ) {
    super();
  }

  /** One of the places is enough: which one a turn needs is known once its model is. */
  assertReady(): void {
    return undefined;
  }

  modelLabel(model: string): string {
    return model;
  }

  async checkModel(model: string, signal?: AbortSignal): Promise<void> {
    if (this.#makerOf(model) === undefined) await this.messages.checkModel(model, signal);
  }

  async listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined> {
    return this.#hasMessages() ? this.messages.listModels(signal) : undefined;
  }

  async describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot> {
    if (this.#makerOf(name) !== undefined) return 'not-described';
    if (!this.#hasMessages()) return 'missing';
    return this.messages.describeModel(name, signal);
  }

  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    if (this.#makerOf(request.model) !== undefined) throw noCount();
    return this.messages.countTokens(request, signal);
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelCall {
    const found = this.#makerOf(request.model);
    return found === undefined
      ? this.messages.stream(request, signal)
      : found.maker.stream(request, found.id, signal);
  }

  #makerOf(model: string): { maker: MakerProvider; id: string } | undefined {
    const split = splitModel(model);
    const maker = split && this.makers.get(split.maker);
    return maker === undefined || split === undefined ? undefined : { maker, id: split.id };
  }

  #hasMessages(): boolean {
    try {
      this.messages.assertReady();
      return true;
    } catch {
      // A server of makers alone has no key for the other place, and no turn goes there.
      return false;
    }
  }
}
