import type { Clock } from '../../../src/platform/clock.js';
import { Attachments } from '../../../src/attachments/attachments.js';
import { type Database, DATABASE } from '../../../src/storage/connection.js';
import { type EventLog, EVENT_LOG } from '../../../src/events/event-log.js';
import { type TurnQueue, TURN_QUEUE } from '../../../src/turn/queue/turn-queue.js';
import { TurnClaims } from '../../../src/turn/queue/turn-claims.js';
import { EndWatch } from '../../../src/turn/stream/end-watch.js';
import { type SignalBus, SIGNAL_BUS } from '../../../src/turn/queue/signal-bus.js';
import { type Logger, LOGGER } from '../../../src/platform/logger.js';
import { AuditLog } from '../../../src/access/audit-log.js';
import { SessionStore } from '../../../src/session/session-store.js';
import { ProjectRoots } from '../../../src/session/project-roots.js';
import { PersonaLibrary } from '../../../src/agents/persona-library.js';
import { AnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../../../src/provider/model-catalogue.js';
import { ModelResolver } from '../../../src/provider/model-resolver.js';
import { OptionLoader } from '../../../src/options/option-loader.js';
import { ToolRegistry } from '../../../src/tools/registry.js';
import { type Mcp, MCP } from '../../../src/tools/open-mcp.js';
import { type Shells, SHELLS } from '../../../src/tools/shells.js';
import { DecisionTrees } from '../../../src/governance/decision-tree/decision-trees.js';
import { type Trigger, TRIGGERS } from '../../../src/notices/trigger.js';
import { TodoStore } from '../../../src/notices/todo-store.js';
import { ResourceProbe } from '../../../src/platform/resource-probe.js';
import { CLOCK } from '../../../src/platform/clock.js';
import { REDACT } from '../../../src/platform/redact.js';
import { TurnSubmitter } from '../../../src/turn/submit/turn-submitter.js';
import { ApprovalAnswerer } from '../../../src/turn/approvals/approval-answerer.js';
import { WorkerWaker } from '../../../src/turn/queue/worker-waker.js';
import { QueuePositions } from '../../../src/turn/lifecycle/queue-positions.js';
import { TurnPromoter } from '../../../src/turn/lifecycle/turn-promoter.js';
import { IdleTurnEnder } from '../../../src/turn/lifecycle/idle-turn-ender.js';
import { TurnCanceller } from '../../../src/turn/lifecycle/turn-canceller.js';
import { SessionCloser } from '../../../src/turn/lifecycle/session-closer.js';
import { SessionCompactor } from '../../../src/turn/history/session-compactor.js';
import { LogCloser } from '../../../src/turn/lifecycle/log-closer.js';
import { TurnFollower } from '../../../src/turn/stream/turn-follower.js';
import type { ModuleRef } from '@nestjs/core';

/** The parts that turns are conducted with in a test, which may have its own. */
export interface TurnParts {
  db: Database;
  log: EventLog;
  queue: TurnQueue;
  claims: TurnClaims;
  ends: EndWatch;
  bus: SignalBus;
  clock: Clock;
  logger: Logger;
  audit: Pick<AuditLog, 'write'>;
  sessions: SessionStore;
  /** Where sessions work. */
  projectRoots: ProjectRoots;
  personas: PersonaLibrary;
  provider: AnthropicProvider;
  models: ModelCatalogue;
  modelNames: ModelResolver;
  options: OptionLoader;
  tools: ToolRegistry;
  mcp: Mcp;
  /** How commands run here. */
  shells: Shells;
  /** Takes the server's own secrets out of a text. */
  redact(text: string): string;
  trees: DecisionTrees;
  /** What is looked at before each model call: ours, and those of extensions. */
  triggers: readonly Trigger[];
  todos: TodoStore;
  attachments: Attachments;
  resources: ResourceProbe;
}

/** The tokens by which the classes are injected with the parts. */
export const partTokens = {
  db: DATABASE,
  log: EVENT_LOG,
  queue: TURN_QUEUE,
  bus: SIGNAL_BUS,
  clock: CLOCK,
  logger: LOGGER,
  audit: AuditLog,
  claims: TurnClaims,
  ends: EndWatch,
  sessions: SessionStore,
  projectRoots: ProjectRoots,
  personas: PersonaLibrary,
  provider: AnthropicProvider,
  models: ModelCatalogue,
  modelNames: ModelResolver,
  options: OptionLoader,
  tools: ToolRegistry,
  mcp: MCP,
  shells: SHELLS,
  redact: REDACT,
  trees: DecisionTrees,
  triggers: TRIGGERS,
  todos: TodoStore,
  resources: ResourceProbe,
  attachments: Attachments,
};

/** The classes over the parts, by the names that tests call them. */
const conductors = {
  submitter: TurnSubmitter,
  answerer: ApprovalAnswerer,
  waker: WorkerWaker,
  positions: QueuePositions,
  promoter: TurnPromoter,
  ender: IdleTurnEnder,
  canceller: TurnCanceller,
  closer: SessionCloser,
  compactor: SessionCompactor,
  logs: LogCloser,
  follower: TurnFollower,
};

type Conductors = { [Name in keyof typeof conductors]: InstanceType<(typeof conductors)[Name]> };

export type TurnServices = TurnParts & Conductors;

/** @param context of a process that has them. */
export function conductorsOf(context: Pick<ModuleRef, 'get'>): Conductors {
  const found = Object.entries(conductors).map(([name, type]) => [
    name,
    context.get<unknown>(type),
  ]);
  return Object.fromEntries(found) as Conductors;
}
