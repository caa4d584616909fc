import { ConfigError, type Config } from '../config/config.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { Tracing } from '../telemetry/tracing.js';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import {
  limitModel,
  requestProfiles,
  urlOf,
  type ProfileName,
} from './anthropic/request-profile.js';
import { ModelCatalogue, type ModelDescription } from './model-catalogue.js';
import type { ModelProvider } from './model-provider.js';
import { knownModels, withoutPrices } from './models/known-models.js';
import type { Model } from './model.js';
import { loadModels, type ListedModel } from './models/model-store.js';
import { keyOf, type ProviderConfig, type ProviderMode } from './provider-config.js';
import { isCloud, isPlaceOfClaude } from '../config/variable-forms.js';
import { ProviderRouter } from './provider-router.js';

/** The address of the configured place: that of the profile where none is named. */
export function addressOf(config: Config): string {
  return config.providerBaseUrl ?? urlOf(config.providerProfile, config);
}

/**
 * The place of a configuration that has the Messages API.
 *
 * @param baseUrl in rehearsal the address of the loopback server.
 * @throws ConfigError where a cloud has no package, settings or credentials.
 */
export async function openMessages(
  config: Config,
  { mode, baseUrl }: { mode: ProviderMode; baseUrl: string },
  { clock, tracing }: Omit<ProviderParts, 'logger'>,
): Promise<AnthropicProvider> {
  const { providerProfile: profile, providerRetries: maxRetries } = config;
  const provided = {
    ...config,
    apiKey: keyOf(config),
    mode,
    baseUrl,
    profile,
    maxRetries,
    ...(mode === 'rehearsal' ? {} : await openPlace(profile, config)),
  };
  return new AnthropicProvider(provided, clock, tracing);
}

/** The client and the address of a cloud; nothing for other places. */
async function openPlace(
  profile: ProfileName,
  config: Config,
): Promise<Pick<ProviderConfig, 'cloud' | 'ownUrl'>> {
  if (!isCloud(profile)) return {};
  const { openCloud } = await import('./clouds/open-cloud.js');
  return { cloud: await openCloud(profile, config), ownUrl: urlOf(profile, config) };
}

interface ProviderParts {
  clock: Clock;
  tracing: Pick<Tracing, 'start'>;
  logger: Pick<Logger, 'warn'>;
}

/**
 * That place, and the makers that are listed. In rehearsal the offline model plays them all, those of a maker over the
 * maker's own wire.
 *
 * @param baseUrl as of `openMessages`.
 * @throws ConfigError.
 */
export async function openProvider(
  config: Config,
  { messages, baseUrl }: { messages: AnthropicProvider; baseUrl: string },
  parts: ProviderParts,
): Promise<ModelProvider> {
  if (config.makers.length === 0) return messages;
  const isRehearsal = messages.mode === 'rehearsal';
  const { openMakers, rehearsedMakers } = await import('./makers/open-makers.js');
  const listed = isRehearsal ? rehearsedMakers(config, baseUrl) : config;
  const makers = await openMakers(listed, parts);
  return new ProviderRouter(
    messages,
    makers,
    isRehearsal ? new Map() : await openPlaces(config, parts),
  );
}

/** The other places of Claude that are listed, by their names. Each has its own address and key alone. */
async function openPlaces(
  config: Config,
  parts: ProviderParts,
): Promise<ReadonlyMap<string, ModelProvider>> {
  const opened = config.makers.map(async ({ name, url }) => {
    if (!isPlaceOfClaude(name)) return [];
    const own = url ?? urlOf(name, config);
    const place = { ...config, providerProfile: name, providerKey: undefined, egressAllow: [] };
    const provider = await openMessages(
      { ...place, ...(url === undefined ? {} : { egressAllow: [new URL(url).origin] }) },
      { mode: 'anthropic', baseUrl: own },
      parts,
    );
    provider.assertReady();
    return [[name, provider] as const];
  });
  return new Map((await Promise.all(opened)).flat());
}

/** What is known of the models of a provider. @throws FileInvalidError. */
export async function openCatalogue(
  config: Config,
  { profile, mode }: Pick<AnthropicProvider, 'profile' | 'mode'>,
): Promise<ModelCatalogue> {
  const { modelsFile, model, prices, toolSearch, makers } = config;
  const { cloud } = profile;
  const claude =
    cloud === undefined
      ? knownModels
      : (await import('./clouds/cloud-models.js')).modelsOf(cloud, config);
  const there = await modelsElsewhere(config);
  const elsewhere = mode === 'rehearsal' ? withoutPrices(there) : there;
  const described = describeAll(await loadModels(modelsFile), [...claude, ...elsewhere]);
  if (mode !== 'rehearsal') assertDescribed(described, makers);
  // Where makers alone have keys, nobody has Claude.
  const hasKey = cloud !== undefined || keyOf(config) !== undefined;
  const isOfMakers = makers.length > 0 && !hasKey && mode !== 'rehearsal';
  const table = profile.hasClaude && !isOfMakers ? claude : [];
  const isLeftOut = !profile.hasClaude && described.every(({ id }) => id !== model);
  return new ModelCatalogue({
    // What is rehearsed costs nothing. With TURNPIKE_PRICES or a file of models, limits can be rehearsed too.
    known: mode === 'rehearsal' ? withoutPrices(table) : table,
    unknown: profile.describe,
    // Of a place without a list, the configured model is what people can choose.
    overrides: [
      ...elsewhere,
      ...(isLeftOut && model !== undefined ? [{ id: model }] : []),
      ...described,
    ],
    prices,
    limit: (model) => {
      const isOfMaker = makers.some(({ name }) => model.id.startsWith(`${name}/`));
      const limited = isOfMaker ? model : limitModel(model, profile);
      return toolSearch === 'own' ? { ...limited, toolSearch: false } : limited;
    },
  });
}

/** Claude in the other places that are listed. */
async function modelsElsewhere(config: Config): Promise<Model[]> {
  const places = config.makers.map(({ name }) => name).filter(isPlaceOfClaude);
  if (places.length === 0) return [];
  const { modelsOf } = await import('./clouds/cloud-models.js');
  return places.flatMap((place) => {
    const { cloud } = requestProfiles[place];
    const there = cloud === undefined ? knownModels : modelsOf(cloud, config);
    return there.map((model) => ({
      ...model,
      id: `${place}/${model.id}`,
      name: `${model.name} (${place})`,
    }));
  });
}

/** What the operator says of models, on top of the models that they are under another name. @throws ConfigError. */
function describeAll(listed: readonly ListedModel[], known: readonly Model[]): ModelDescription[] {
  return listed.map(({ sameAs, ...model }) => {
    // Claude in another place is known by its whole name: an entry changes a part of it.
    const own = known.find(({ id }) => id === model.id && id.includes('/'));
    if (sameAs === undefined) return { ...own, ...model };
    const same = known.find(({ id }) => id === sameAs || id.replace(/-\d{8}$/, '') === sameAs);
    if (same === undefined) {
      throw new ConfigError([
        `TURNPIKE_MODELS: ${model.id} is the same as ${sameAs}, which this version does not know; describe it in full`,
      ]);
    }
    return { ...same, name: model.id, ...model };
  });
}

/** A budget is reserved before a call, by what the operator says of the model. @throws ConfigError. */
function assertDescribed(described: readonly ModelDescription[], makers: Config['makers']): void {
  const needed = ['contextWindow', 'maxOutput', 'price'] as const;
  const faults = described
    .filter(({ id }) =>
      makers.some(({ name }) => !isPlaceOfClaude(name) && id.startsWith(`${name}/`)),
    )
    .flatMap((model) => {
      const missing = needed.filter((field) => model[field] === undefined);
      return missing.length === 0
        ? []
        : [
            `TURNPIKE_MODELS: ${model.id} lacks ${missing.join(', ')}; a local model costs {"input": 0, "output": 0}`,
          ];
    });
  if (faults.length > 0) throw new ConfigError(faults);
}
