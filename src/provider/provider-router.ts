import type { Config } from '../config/config.js';
import { isPlaceOfClaude } from '../config/variable-forms.js';
import type { MakerProvider } from './makers/maker-provider.js';
import { splitModel } from './makers/maker-table.js';
import type { ModelDescription } from './model-catalogue.js';
import { ModelProvider } from './model-provider.js';
import type { DescribedOrNot } from './model-resolver.js';
import type { ModelCall, ModelRequest } from './model-types.js';
import { noCount } from './provider-errors.js';

/** Who has a model that is not of the first place, and its name there. */
type Found =
  | { place: ModelProvider; id: string }
  /** Asked for calls alone: the operator describes its models. */
  | { maker: MakerProvider; id: string };

/**
 * Several places of models: `name/model` goes to a listed maker or to another place of Claude, every other name to the
 * first place that has the Messages API.
 */
export class ProviderRouter extends ModelProvider {
  readonly mode: ModelProvider['mode'];

  constructor(
    private readonly messages: ModelProvider,
    private readonly makers: ReadonlyMap<string, MakerProvider>,
    private readonly places: ReadonlyMap<string, ModelProvider>,
  ) {
    super();
    this.mode = messages.mode;
  }

  /** One of the places is enough: which one a turn needs is known once its model is. */
  assertReady(): void {
    return undefined;
  }

  modelLabel(model: string): string {
    return this.mode === 'rehearsal' ? this.messages.modelLabel(model) : model;
  }

  async checkModel(model: string, signal?: AbortSignal): Promise<void> {
    const found = this.#find(model);
    if (found === undefined) await this.messages.checkModel(model, signal);
    else if ('place' in found) await found.place.checkModel(found.id, signal);
  }

  async listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined> {
    return this.#hasMessages() ? this.messages.listModels(signal) : undefined;
  }

  async describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot> {
    const found = this.#find(name);
    if (found === undefined) {
      return this.#hasMessages() ? this.messages.describeModel(name, signal) : 'missing';
    }
    if ('maker' in found) return 'not-described';
    const described = await found.place.describeModel(found.id, signal);
    return typeof described === 'string' ? described : { ...described, id: name };
  }

  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const found = this.#find(request.model);
    if (found === undefined) return this.messages.countTokens(request, signal);
    if ('maker' in found) throw noCount();
    return found.place.countTokens({ ...request, model: found.id }, signal);
  }

  stream(request: ModelRequest, signal: AbortSignal): ModelCall {
    const found = this.#find(request.model);
    if (found === undefined) return this.messages.stream(request, signal);
    return 'maker' in found
      ? found.maker.stream(request, found.id, signal)
      : found.place.stream({ ...request, model: found.id }, signal);
  }

  #find(model: string): Found | undefined {
    const { maker: name, id } = splitModel(model) ?? {};
    if (name === undefined || id === undefined) return undefined;
    const [maker, place] = [this.makers.get(name), this.places.get(name)];
    if (maker !== undefined) return { maker, id };
    return place && { place, id };
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

/** The maker of a model, by its name. The places of Claude are one: they read the thinking of each other. */
export function makerOf(model: string, makers: Config['makers']): string {
  const name = splitModel(model)?.maker;
  const isListed = name !== undefined && makers.some((maker) => maker.name === name);
  return isListed && !isPlaceOfClaude(name) ? name : 'anthropic';
}
