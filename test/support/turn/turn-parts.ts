import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { AuditLog } from '../../../src/access/audit-log.js';
import { PersonaLibrary } from '../../../src/agents/persona-library.js';
import { type EventLog, EVENT_LOG } from '../../../src/events/event-log.js';
import { DecisionTrees } from '../../../src/governance/decision-tree/decision-trees.js';
import { type Clock, CLOCK } from '../../../src/platform/clock.js';
import { type Logger, LOGGER } from '../../../src/platform/logger.js';
import { AnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../../../src/provider/model-catalogue.js';
import { ModelResolver } from '../../../src/provider/model-resolver.js';
import { ProjectRoots } from '../../../src/session/project-roots.js';
import { SessionStore } from '../../../src/session/session-store.js';
import { type Database, DATABASE } from '../../../src/storage/connection.js';
import { ToolRegistry } from '../../../src/tools/registry.js';
import { type Shells, SHELLS } from '../../../src/tools/shells.js';
import { ApprovalAnswerer } from '../../../src/turn/approvals/approval-answerer.js';
import { ConversationService } from '../../../src/turn/history/conversation-service.js';
import { TurnCanceller } from '../../../src/turn/lifecycle/turn-canceller.js';
import { QueueNotifier } from '../../../src/turn/queue/queue-notifier.js';
import { type SignalBus, SIGNAL_BUS } from '../../../src/turn/queue/signal-bus.js';
import { TurnClaims } from '../../../src/turn/queue/turn-claims.js';
import { type TurnQueue, TURN_QUEUE } from '../../../src/turn/queue/turn-queue.js';
import { EndPoller, TurnFollower } from '../../../src/turn/lifecycle/turn-follower.js';
import { AttemptServices } from '../../../src/turn/state/attempt-services.js';
import { ConversationCache } from '../../../src/turn/state/conversation-cache.js';
import { ToolSources } from '../../../src/turn/state/tool-source.js';
import { TurnSubmitter } from '../../../src/turn/submit/turn-submitter.js';

/** What the processes of a test share in place of what the modules would provide; a test may replace each part. */
export interface TurnParts {
  db: Database;
  log: EventLog;
  queue: TurnQueue;
  bus: SignalBus;
  ends: EndPoller;
  clock: Clock;
  logger: Logger;
  personas: PersonaLibrary;
  provider: AnthropicProvider;
  tools: ToolRegistry;
  shells: Shells;
  trees: DecisionTrees;
  /** Without it, each process has its own, as the module provides it. */
  conversationCache?: ConversationCache;
  /** Without it, each process has the module's. Features register theirs in it: it is for one process. */
  toolSources?: ToolSources;
}

/** The injection token of each part. */
export const partTokens = {
  db: DATABASE,
  log: EVENT_LOG,
  queue: TURN_QUEUE,
  bus: SIGNAL_BUS,
  ends: EndPoller,
  clock: CLOCK,
  logger: LOGGER,
  personas: PersonaLibrary,
  provider: AnthropicProvider,
  tools: ToolRegistry,
  shells: SHELLS,
  trees: DecisionTrees,
  conversationCache: ConversationCache,
  toolSources: ToolSources,
} satisfies Record<keyof TurnParts, InjectionToken>;

/** Classes of a process, by the names that tests have for them. */
const conductors = {
  audit: AuditLog,
  sessions: SessionStore,
  projectRoots: ProjectRoots,
  models: ModelCatalogue,
  modelNames: ModelResolver,
  claims: TurnClaims,
  submitter: TurnSubmitter,
  answerer: ApprovalAnswerer,
  notifier: QueueNotifier,
  canceller: TurnCanceller,
  attempts: AttemptServices,
  conversations: ConversationService,
  follower: TurnFollower,
};

type Conductors = { [Name in keyof typeof conductors]: InstanceType<(typeof conductors)[Name]> };

export type TurnServices = TurnParts & Conductors;

/** @param context of one process. */
export function conductorsOf(context: Pick<ModuleRef, 'get'>): Conductors {
  const found = Object.entries(conductors).map(([name, type]) => [
    name,
    context.get<unknown>(type, { strict: false }),
  ]);
  return Object.fromEntries(found) as Conductors;
}
