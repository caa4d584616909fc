import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_PIPE, DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { AccessGuardModule } from '../access/access.module.js';
import { AttachmentsApiModule } from '../attachments/attachments.module.js';
import { backendModule } from './backend/backend.module.js';
import { ConfigModule, type ProcessValues } from '../config/config.module.js';
import { runsTurns, servesApi, type Role } from '../config/role.js';
import { MetricsModule } from '../telemetry/metrics.js';
import { TracingModule } from '../telemetry/tracing.js';
import { findShapedPaths } from '../http/errors/error-shape.js';
import { RequestPipe } from '../http/request.pipe.js';
import { Background } from './background.js';
import { features as allFeatures, type Feature } from './features.js';
import { ErrorShapes, HarnessErrorFilter } from './harness-error.filter.js';
import { HttpModule } from './http.module.js';
import {
  HealthModule,
  HousekeepingModule,
  MetricsViewModule,
  QueueViewModule,
} from '../operations/operations.module.js';
import { OptionsApiModule } from '../options/options.module.js';
import { sessionNotFound } from '../session/session-errors.js';
import { SessionApiModule } from '../session/session.module.js';
import { ToolsApiModule } from '../tools/tools.module.js';
import { TrialsModule } from '../trials/trials.module.js';
import { approvalNotFound, TurnApiModule, turnNotFound, TurnWorkerModule } from '../turn/face.js';
import { webhookNotFound } from '../features/webhooks/webhook-errors.js';
import { HarnessModule } from '../wires/harness/harness.module.js';
import { mcpLoginNotFound } from '../features/mcp/mcp-login-errors.js';

const notFound = {
  session: sessionNotFound,
  turn: turnNotFound,
  approval: approvalNotFound,
  awaited: approvalNotFound,
  webhook: webhookNotFound,
  mcpLogin: mcpLoginNotFound,
};

const apiModules = [
  SessionApiModule,
  OptionsApiModule,
  AttachmentsApiModule,
  ToolsApiModule,
  TrialsModule,
  QueueViewModule,
  HarnessModule,
  TurnApiModule,
];

const workerModules = [TurnWorkerModule, HousekeepingModule];

/** The modules of a feature for one role. */
const only = (modules: readonly (Type | undefined)[]): Type[] =>
  modules.filter((one) => one !== undefined);

/** The server: the modules of a role over one back end, with features. */
@Module({})
export class AppModule {
  static forRole(
    role: Role,
    values: ProcessValues,
    features: readonly Feature[] = allFeatures,
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(values),
        MetricsModule,
        TracingModule,
        backendModule(values.config),
        HttpModule,
        AccessGuardModule.register(notFound, servesApi(role)),
        DiscoveryModule,
        HealthModule,
        MetricsViewModule,
        ...(servesApi(role) ? [...apiModules, ...only(features.map(({ api }) => api))] : []),
        ...(runsTurns(role)
          ? [...workerModules, ...only(features.map(({ worker }) => worker))]
          : []),
      ],
      providers: [
        Background,
        {
          provide: ErrorShapes,
          inject: [DiscoveryService],
          useFactory: (discovery: DiscoveryService) => new ErrorShapes(findShapedPaths(discovery)),
        },
        { provide: APP_FILTER, useClass: HarnessErrorFilter },
        { provide: APP_PIPE, useClass: RequestPipe },
      ],
    };
  }
}
