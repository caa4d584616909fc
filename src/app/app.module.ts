import { Module, type DynamicModule } from '@nestjs/common';
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
import { ErrorShapes, HarnessErrorFilter } from './harness-error.filter.js';
import { HttpModule } from './http.module.js';
import {
  HealthModule,
  HousekeepingModule,
  MetricsViewModule,
  QueueViewModule,
} from '../ops/ops.module.js';
import { OptionsApiModule } from '../options/options.module.js';
import { MemoryApiModule } from '../memory/memory.module.js';
import { sessionNotFound } from '../session/session-errors.js';
import { SessionApiModule } from '../session/session.module.js';
import { ToolsApiModule } from '../tools/tools.module.js';
import { turnNotFound } from '../turn/state/turn-errors.js';
import { TurnApiModule } from '../turn/turn.module.js';
import { TurnWorkerModule } from '../turn/worker/worker.module.js';
import { webhookNotFound } from '../webhooks/webhook-errors.js';
import { WebhookApiModule, WebhookSenderModule } from '../webhooks/webhooks.module.js';
import { ScheduleApiModule, SchedulerModule } from '../schedules/schedules.module.js';
import { DataModule } from '../data/data.module.js';
import { AgUiModule } from '../wires/ag-ui/ag-ui.module.js';
import { AiSdkModule } from '../wires/ai-sdk/ai-sdk.module.js';
import { HarnessModule } from '../wires/harness/harness.module.js';
import { McpWireModule } from '../wires/mcp/mcp-wire.module.js';
import { NamedAgentsModule } from '../wires/named-agents/named-agents.module.js';
import { ResponsesModule } from '../wires/responses/responses.module.js';
import { mcpLoginNotFound } from '../turn/approvals/mcp-authorizations.js';
import { approvalNotFound } from '../turn/approvals/approval-writes.js';
import { OracleModule } from '../wires/oracle/oracle.module.js';

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
  MemoryApiModule,
  QueueViewModule,
  HarnessModule,
  TurnApiModule,
  WebhookApiModule,
  ScheduleApiModule,
  McpWireModule,
  NamedAgentsModule,
  AiSdkModule,
  AgUiModule,
  OracleModule,
  ResponsesModule,
  DataModule,
];

const workerModules = [TurnWorkerModule, WebhookSenderModule, SchedulerModule, HousekeepingModule];

/** The server: the modules of a role over one back end. */
@Module({})
export class AppModule {
  static forRole(role: Role, values: ProcessValues): DynamicModule {
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
        ...(servesApi(role) ? apiModules : []),
        ...(runsTurns(role) ? workerModules : []),
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
