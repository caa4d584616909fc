import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { AuditLog } from '../../../src/access/audit-log.js';
import { SkillLibrary } from '../../../src/skills/skill-library.js';
import { TOOL_HOOK, type ToolHook } from '../../../src/tools/tool-hook.js';
import { PersonaLibrary } from '../../../src/agents/persona-library.js';
import { Attachments } from '../../../src/attachments/attachments.js';
import { type EventLog, EVENT_LOG } from '../../../src/events/event-log.js';
import { DecisionTrees } from '../../../src/governance/decision-tree/decision-trees.js';
import { TodoStore } from '../../../src/notices/todo-store.js';
import { type Trigger, TRIGGERS } from '../../../src/notices/trigger.js';
import { OptionLoader } from '../../../src/options/option-loader.js';
import { type Clock, CLOCK } from '../../../src/platform/clock.js';
import { type Logger, LOGGER } from '../../../src/platform/logger.js';
import { REDACT } from '../../../src/platform/text/redact.js';
import { ResourceProbe } from '../../../src/platform/process/resource-probe.js';
import { AnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../../../src/provider/model-catalogue.js';
import { ModelResolver } from '../../../src/provider/model-resolver.js';
import { ProjectRoots } from '../../../src/session/project-roots.js';
import { SessionStore } from '../../../src/session/session-store.js';
import { type Database, DATABASE } from '../../../src/storage/connection.js';
import { type Mcp, MCP } from '../../../src/tools/mcp/mcp.js';
import { ToolRegistry } from '../../../src/tools/registry.js';
import { type Shells, SHELLS } from '../../../src/tools/shells.js';
import { ApprovalAnswerer } from '../../../src/turn/approvals/approval-answerer.js';
import { SessionCompactor } from '../../../src/turn/history/session-compactor.js';
import { TurnCanceller } from '../../../src/turn/lifecycle/turn-canceller.js';
import { QueuePositions, WorkerWaker } from '../../../src/turn/queue/queue-positions.js';
import { SessionCloser } from '../../../src/turn/lifecycle/session-closer.js';
import { TurnPromoter } from '../../../src/turn/lifecycle/turn-promoter.js';
import { type SignalBus, SIGNAL_BUS } from '../../../src/turn/queue/signal-bus.js';
import { TurnClaims } from '../../../src/turn/queue/turn-claims.js';
import { type TurnQueue, TURN_QUEUE } from '../../../src/turn/queue/turn-queue.js';
import { EndWatch } from '../../../src/turn/stream/end-watch.js';
import { TurnFollower } from '../../../src/turn/stream/turn-follower.js';
import { TurnSubmitter } from '../../../src/turn/submit/turn-submitter.js';

/** Everything that the classes of `src/turn` are injected with; a test may replace each part. */
export interface TurnParts {
  db: Database;
  log: EventLog;
  queue: TurnQueue;
  bus: SignalBus;
  claims: TurnClaims;
  ends: EndWatch;
  clock: Clock;
  logger: Logger;
  audit: AuditLog;
  sessions: SessionStore;
  projectRoots: ProjectRoots;
  personas: PersonaLibrary;
  skills: SkillLibrary;
  options: OptionLoader;
  provider: AnthropicProvider;
  models: ModelCatalogue;
  modelNames: ModelResolver;
  tools: ToolRegistry;
  mcp: Mcp;
  shells: Shells;
  toolHook: Pick<ToolHook, 'ask'> | null;
  redact(text: string): string;
  trees: DecisionTrees;
  triggers: readonly Trigger[];
  todos: TodoStore;
  attachments: Attachments;
  resources: ResourceProbe;
}

/** The injection token of each part. */
export const partTokens = {
  db: DATABASE,
  log: EVENT_LOG,
  queue: TURN_QUEUE,
  bus: SIGNAL_BUS,
  claims: TurnClaims,
  ends: EndWatch,
  clock: CLOCK,
  logger: LOGGER,
  audit: AuditLog,
  sessions: SessionStore,
  projectRoots: ProjectRoots,
  personas: PersonaLibrary,
  skills: SkillLibrary,
  options: OptionLoader,
  provider: AnthropicProvider,
  models: ModelCatalogue,
  modelNames: ModelResolver,
  tools: ToolRegistry,
  mcp: MCP,
  shells: SHELLS,
  toolHook: TOOL_HOOK,
  redact: REDACT,
  trees: DecisionTrees,
  triggers: TRIGGERS,
  todos: TodoStore,
  attachments: Attachments,
  resources: ResourceProbe,
} satisfies Record<keyof TurnParts, InjectionToken>;

/** Classes of `src/turn` over the parts, by the names that tests have for them. */
const conductors = {
  submitter: TurnSubmitter,
  answerer: ApprovalAnswerer,
  waker: WorkerWaker,
  positions: QueuePositions,
  promoter: TurnPromoter,
  canceller: TurnCanceller,
  closer: SessionCloser,
  compactor: SessionCompactor,
  follower: TurnFollower,
};

type Conductors = { [Name in keyof typeof conductors]: InstanceType<(typeof conductors)[Name]> };

export type TurnServices = TurnParts & Conductors;

/** @param context of one process, with `turnProviders`. */
export function conductorsOf(context: Pick<ModuleRef, 'get'>): Conductors {
  const found = Object.entries(conductors).map(([name, type]) => [
    name,
    context.get<unknown>(type),
  ]);
  return Object.fromEntries(found) as Conductors;
}
