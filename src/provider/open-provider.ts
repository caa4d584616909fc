import type { Config } from '../config/config.js';
import type { Clock } from '../platform/clock.js';
import type { Tracing } from '../telemetry/tracing.js';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import { limitModel, requestProfiles } from './anthropic/request-profile.js';
import { ModelCatalogue } from './model-catalogue.js';
import { knownModels, withoutPrices } from './models/known-models.js';
import { loadModels } from './models/model-store.js';
import { keyOf, type ProviderMode } from './provider-config.js';

/** The address of the configured place: that of the profile where none is named. */
export function addressOf({
  providerBaseUrl,
  providerProfile,
}: Pick<Config, 'providerBaseUrl' | 'providerProfile'>): string {
  return providerBaseUrl ?? requestProfiles[providerProfile].defaultUrl;
}

/** The provider of a configuration. @param baseUrl in rehearsal the address of the loopback server. */
export function openProvider(
  config: Config,
  { mode, baseUrl }: { mode: ProviderMode; baseUrl: string },
  { clock, tracing }: { clock: Clock; tracing: Pick<Tracing, 'start'> },
): AnthropicProvider {
  const { providerProfile: profile, providerRetries: maxRetries } = config;
  const provided = { ...config, apiKey: keyOf(config), mode, baseUrl, profile, maxRetries };
  return new AnthropicProvider(provided, clock, tracing);
}

/** What is known of the models of a provider. @throws FileInvalidError. */
export async function openCatalogue(
  { modelsFile, model, prices, toolSearch }: Config,
  { profile, mode }: Pick<AnthropicProvider, 'profile' | 'mode'>,
): Promise<ModelCatalogue> {
  const described = await loadModels(modelsFile);
  const table = profile.hasClaude ? knownModels : [];
  const isLeftOut = !profile.hasClaude && described.every(({ id }) => id !== model);
  return new ModelCatalogue({
    // What is rehearsed costs nothing. With TURNPIKE_PRICES or a file of models, limits can be rehearsed too.
    known: mode === 'rehearsal' ? withoutPrices(table) : table,
    unknown: profile.describe,
    // Of a place without a list, the configured model is what people can choose.
    overrides: isLeftOut && model !== undefined ? [{ id: model }, ...described] : described,
    prices,
    limit: (model) => {
      const limited = limitModel(model, profile);
      return toolSearch === 'own' ? { ...limited, toolSearch: false } : limited;
    },
  });
}
