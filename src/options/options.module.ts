import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { CONFIG, type Config } from '../config/config.js';
import { ExtensionsModule } from '../tools/extensions/extensions.module.js';
import { EXTENSIONS } from '../tools/extensions/load-extensions.js';
import { SERVER_PERMISSIONS } from '../governance/permissions/permission-rules.js';
import { ProviderModule } from '../provider/provider.module.js';
import { SchemaChecks } from '../tools/output/schema-checks.js';
import { serverToolNames } from '../storage/shapes/stored-options.js';
import { ToolRegistry } from '../tools/registry.js';
import { loadPermissions } from './permission-mode.js';
import { ModelController } from './model.controller.js';
import { OptionLoader } from './option-loader.js';
import { PreferencesController } from './preferences.controller.js';
import { PreferencesStore } from './preferences-store.js';

/**
 * Provides the options of turns, preferences and the server's policy. A start fails with
 * FileInvalidError.
 */
@Module({
  imports: [AccessModule, AgentsModule, ExtensionsModule, ProviderModule],
  providers: [
    OptionLoader,
    SchemaChecks,
    PreferencesStore,
    {
      provide: SERVER_PERMISSIONS,
      inject: [CONFIG, ToolRegistry, EXTENSIONS],
      useFactory: ({ permissionsFile }: Config, tools: ToolRegistry) =>
        loadPermissions(permissionsFile, [
          ...tools.list(),
          ...serverToolNames.map((name) => ({ name })),
        ]),
    },
  ],
  exports: [OptionLoader, SchemaChecks, PreferencesStore, SERVER_PERMISSIONS],
})
export class OptionsModule {}

/** The routes of preferences and models. */
@Module({
  imports: [OptionsModule, ProviderModule],
  controllers: [PreferencesController, ModelController],
})
export class OptionsApiModule {}
