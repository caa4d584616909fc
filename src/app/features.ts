import type { Type } from '@nestjs/common';
import { FeedbackModule } from '../features/feedback/feedback.module.js';
import { McpLoginModule, McpModule } from '../features/mcp/mcp.module.js';
import { TurnMemoryModule } from '../features/memory/turn-memory.module.js';
import { PortabilityModule } from '../features/portability/portability.module.js';
import {
  ProjectFilesApiModule,
  ProjectFilesModule,
} from '../features/project-files/project-files.module.js';
import { ReplayModule } from '../features/replay/replay.module.js';
import { ScheduleApiModule, SchedulerModule } from '../features/schedules/schedules.module.js';
import { SkillsModule } from '../features/skills/skills.module.js';
import { WebhookApiModule, WebhookSenderModule } from '../features/webhooks/webhooks.module.js';
import { MemoryApiModule } from '../memory/memory.module.js';
import { AgUiModule } from '../wires/ag-ui/ag-ui.module.js';
import { AiSdkModule } from '../wires/ai-sdk/ai-sdk.module.js';
import { McpWireModule } from '../wires/mcp/mcp-wire.module.js';
import { NamedAgentsModule } from '../wires/named-agents/named-agents.module.js';
import { OracleModule } from '../wires/oracle/oracle.module.js';
import { ResponsesModule } from '../wires/responses/responses.module.js';

/** A part of a server beside turns. Its modules register what it brings; a server without it starts, and runs turns. */
export interface Feature {
  name: string;
  /** Routes, in processes that answer requests. Absent: none. */
  api?: Type;
  /** In processes that run turns. Absent: nothing. */
  worker?: Type;
}

export const features: readonly Feature[] = [
  { name: 'memory', api: MemoryApiModule, worker: TurnMemoryModule },
  { name: 'webhooks', api: WebhookApiModule, worker: WebhookSenderModule },
  { name: 'schedules', api: ScheduleApiModule, worker: SchedulerModule },
  { name: 'mcp', api: McpLoginModule, worker: McpModule },
  { name: 'skills', worker: SkillsModule },
  { name: 'project-files', api: ProjectFilesApiModule, worker: ProjectFilesModule },
  { name: 'feedback', api: FeedbackModule },
  { name: 'replay', api: ReplayModule },
  { name: 'portability', api: PortabilityModule },
  // The wires beside the harness's own.
  { name: 'mcp-wire', api: McpWireModule },
  { name: 'named-agents', api: NamedAgentsModule },
  { name: 'ai-sdk', api: AiSdkModule },
  { name: 'ag-ui', api: AgUiModule },
  { name: 'oracle', api: OracleModule },
  { name: 'responses', api: ResponsesModule },
];
