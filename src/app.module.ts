import { Module, type DynamicModule } from '@nestjs/common';
import { TodoController } from './notices/todo.controller.js';
import { TodoStore } from './notices/todo-store.js';
import { HealthController } from './ops/health.controller.js';
import { HealthService } from './ops/health-service.js';
import { optionRules } from './options/option-rules.js';
import { SettingsController } from './options/settings/settings.controller.js';
import { SettingsService } from './options/settings/settings-service.js';
import { SettingsStore } from './options/settings/settings-store.js';
import { OracleModule } from './oracle/oracle.module.js';
import { SessionController } from './session/session.controller.js';
import { SessionService } from './session/session-service.js';
import { TurnApiModule, TurnWorkerModule } from './turn/turn.module.js';
import { runsTurns, servesApi } from './role.js';
import type { Runtime } from './runtime.js';

/** Composes the modules over one runtime, for its role. */
@Module({})
export class AppModule {
  static compose(runtime: Runtime): DynamicModule {
    const { services, config } = runtime;
    const { db, queue, log, sessions, personas, provider, clock } = services;
    const { environmentModel, defaultLimits } = services.settings;
    const boot = { sessions, personas, provider, clock, environmentModel, defaultLimits };
    const defaultModel = optionRules.model.read(config.model) ?? optionRules.model.fallback();
    const settings = new SettingsService(new SettingsStore(db, clock), defaultModel);
    const sessionService = new SessionService(boot);
    const turnApi = TurnApiModule.register(services, config.disconnectGraceMs);
    const dependencies = [
      { name: 'database', ping: runtime.backEnd.database.ping },
      { name: 'queue', ping: () => queue.ping() },
      { name: 'log', ping: () => log.ping() },
    ];
    return {
      module: AppModule,
      imports: [
        ...(servesApi(config.role)
          ? [
              turnApi,
              OracleModule.register({
                turnApi,
                sessions: sessionService,
                services,
                root: config.oracleRoot,
              }),
            ]
          : []),
        ...(runsTurns(config.role)
          ? [TurnWorkerModule.register(services, config.disconnectGraceMs)]
          : []),
      ],
      controllers: [
        ...(servesApi(config.role) ? [SessionController, SettingsController, TodoController] : []),
        HealthController,
      ],
      providers: [
        { provide: SessionService, useValue: sessionService },
        { provide: SettingsService, useValue: settings },
        { provide: TodoStore, useValue: services.todos },
        { provide: HealthService, useValue: new HealthService(dependencies) },
      ],
    };
  }
}
