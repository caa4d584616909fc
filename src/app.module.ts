import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './ops/health.controller.js';
import { HealthService } from './ops/health-service.js';
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
    const { queue, log, sessions, personas, provider, clock } = services;
    const boot = { sessions, personas, provider, clock, environmentModel: config.model };
    const dependencies = [
      { name: 'database', ping: runtime.backEnd.database.ping },
      { name: 'queue', ping: () => queue.ping() },
      { name: 'log', ping: () => log.ping() },
    ];
    return {
      module: AppModule,
      imports: [
        ...(servesApi(config.role)
          ? [TurnApiModule.register(services, config.disconnectGraceMs)]
          : []),
        ...(runsTurns(config.role)
          ? [TurnWorkerModule.register(services, config.disconnectGraceMs)]
          : []),
      ],
      controllers: [...(servesApi(config.role) ? [SessionController] : []), HealthController],
      providers: [
        { provide: SessionService, useValue: new SessionService(boot) },
        { provide: HealthService, useValue: new HealthService(dependencies) },
      ],
    };
  }
}
