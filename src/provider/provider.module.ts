import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { CONFIG, ENVIRONMENT, type Config, type Environment } from '../config/config.js';
import { warnOfUnread } from './unread-variables.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { Tracing } from '../telemetry/tracing.js';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import { CatalogueKeeper } from './models/catalogue-keeper.js';
import { DEFAULT_MODEL, sentName, ModelResolver } from './model-resolver.js';
import { ModelOutages } from './model-outages.js';
import { ModelStore } from './models/model-store.js';
import { ModelProvider } from './model-provider.js';
import { ModelCatalogue } from './model-catalogue.js';
import { chooseProviderMode, keyOf, PROVIDER_MODE, type ProviderMode } from './provider-config.js';
import { addressOf, openCatalogue, openMessages, openProvider } from './open-provider.js';

const PROVIDER_URL = Symbol('ProviderUrl');

/** The model's API, and what is known of its models. A start fails with FileInvalidError. */
@Module({
  providers: [
    {
      provide: PROVIDER_MODE,
      inject: [CONFIG],
      useFactory: (config: Config) => {
        const { provider: requested, providerProfile: profile, production } = config;
        return chooseProviderMode({
          requested,
          profile,
          production,
          apiKey: keyOf(config),
          hasMakers: config.makers.length > 0,
        });
      },
    },
    {
      provide: PROVIDER_URL,
      inject: [CONFIG, PROVIDER_MODE, ResourceStack],
      useFactory: async (config: Config, mode: ProviderMode, resources: ResourceStack) => {
        if (mode === 'anthropic') return addressOf(config);
        return (await resources.add(startRehearsal(), (model) => model.close())).url;
      },
    },
    {
      provide: AnthropicProvider,
      inject: [CONFIG, PROVIDER_MODE, PROVIDER_URL, CLOCK, Tracing],
      useFactory: (
        config: Config,
        mode: ProviderMode,
        baseUrl: string,
        ...[clock, tracing]: [Clock, Tracing]
      ) => openMessages(config, { mode, baseUrl }, { clock, tracing }),
    },
    {
      provide: ModelProvider,
      inject: [CONFIG, AnthropicProvider, PROVIDER_URL, CLOCK, Tracing, LOGGER],
      useFactory: (
        config: Config,
        messages: AnthropicProvider,
        baseUrl: string,
        ...[clock, tracing, logger]: [Clock, Tracing, Logger]
      ) => openProvider(config, { messages, baseUrl }, { clock, tracing, logger }),
    },
    {
      provide: ModelStore,
      inject: [DATABASE, PROVIDER_MODE, PROVIDER_URL],
      useFactory: (db: Database, mode: ProviderMode, baseUrl: string) =>
        // The rehearsal has another port with each start.
        new ModelStore(db, mode === 'rehearsal' ? mode : baseUrl),
    },
    {
      provide: ModelOutages,
      inject: [CLOCK],
      useFactory: (clock: Clock) => new ModelOutages(clock),
    },
    {
      provide: ModelCatalogue,
      inject: [CONFIG, AnthropicProvider],
      useFactory: openCatalogue,
    },
    {
      provide: ModelResolver,
      inject: [ModelCatalogue, ModelStore, ModelProvider, CLOCK, LOGGER],
      useFactory: (
        catalogue: ModelCatalogue,
        store: ModelStore,
        provider: ModelProvider,
        clock: Clock,
        logger: Logger,
      ) => new ModelResolver({ catalogue, store, provider, clock, logger }),
    },
  ],
  exports: [ModelProvider, ModelCatalogue, ModelResolver, ModelStore, ModelOutages, PROVIDER_MODE],
})
export class ProviderModule implements OnModuleInit {
  readonly #keeper: CatalogueKeeper;

  constructor(
    catalogue: ModelCatalogue,
    store: ModelStore,
    provider: ModelProvider,
    @Inject(CONFIG) private readonly config: Pick<Config, 'model' | 'providerProfile' | 'prices'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly resources: ResourceStack,
  ) {
    const { model, prices } = config;
    this.#keeper = new CatalogueKeeper({
      catalogue,
      store,
      provider,
      clock,
      logger,
      priced: prices.map((one) => one.model),
      configuredModel: model && sentName(model, DEFAULT_MODEL).name,
      // The rehearsal is in this process: asking it costs nothing, and an update is seen at once.
      ...(provider.mode === 'rehearsal' ? { staleAfterMs: 0 } : {}),
    });
  }

  async onModuleInit(): Promise<void> {
    warnOfUnread(this.environment, this.config.providerProfile, this.logger);
    await this.resources.add(this.#keeper.start(), () => this.#keeper.close());
  }
}
