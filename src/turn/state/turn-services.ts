import type { Config } from '../../config/config.js';
import { freeLimits } from '../../options/free-limits.js';
import type { AgentConfig } from '../../storage/shapes/stored-limits.js';
import type { PermissionRules, PermissionMode } from '../../storage/shapes/stored-permissions.js';
import { AuditLog } from '../../access/audit-log.js';
import type { Attachments } from '../../attachments/attachments.js';
import type { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import type { PersonaLibrary } from '../../agents/persona-library.js';
import type { EventLog } from '../../events/event-log.js';
import type { Trigger } from '../../notices/trigger.js';
import type { TodoStore } from '../../notices/todo-store.js';
import type { ResourceProbe } from '../../platform/resource-probe.js';
import type { OptionLoader } from '../../options/option-loader.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import type { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { ModelResolver } from '../../provider/model-resolver.js';
import type { ServerTool } from '../../storage/shapes/stored-tools.js';
import type { ProjectRoots } from '../../session/project-roots.js';
import type { SessionStore } from '../../session/session-store.js';
import type { Database } from '../../storage/connection.js';
import type { Mcp } from '../../tools/open-mcp.js';
import type { Shells } from '../../tools/shells.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { ApprovalRow } from '../approvals/approval-writes.js';
import type { GivenAnswer } from '../approvals/read-answer.js';
import type { SubmittedTurn, TurnSubmission } from '../submit/turn-submission.js';
import type { EndWatch } from '../stream/end-watch.js';
import type { SignalBus } from '../queue/signal-bus.js';
import type { TurnClaims } from '../queue/turn-claims.js';
import type { TurnPriority, TurnQueue } from '../queue/turn-queue.js';
import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { ApprovalRules, Attempt, RunLimits } from './turn-run.js';

export interface Ceiling {
  /** The loosest permission mode. */
  mode: PermissionMode;
  /** Names of tools, `*` for any characters; undefined: all. */
  tools: readonly string[] | undefined;
}

export interface TurnSettings {
  environmentModel: string | undefined;
  /** Tools that the provider runs, as far as turns may use them. */
  serverTools: readonly ServerTool[];
  /** Limits of turns that nobody limits. */
  defaultLimits: Readonly<AgentConfig>;
  /** The server's policy for tools. */
  serverPermissions: PermissionRules;
  /** What no turn has more of, whoever asks. */
  ceiling: Ceiling;
  /** Whether any turn may delegate. */
  subagentsEnabled: boolean;
  /** From this time on a decision about delegation is logged as slow, in ms. */
  subagentWarnMs: number;
  archiveKeepDays: number;
  leaseMs: number;
  /** Most attempts in a row of a turn that store nothing new. */
  mostAttemptsInVain: number;
  turnTimeoutMs: number;
  drainMs: number;
  /** How long a reader may take nothing, in ms. */
  readerTimeoutMs: number;
  /** Most tokens of all turns of a session; 0: no limit. */
  sessionTokens: number;
  /** Share of the model's window, in percent, from which a conversation is compacted. */
  compactPercent: number;
  limits: RunLimits;
  approvals: ApprovalRules;
  /** Most subagents of a turn. */
  subagents: { fanout: number };
  /** Turns a worker runs at a time. */
  workerConcurrency: number;
  /** The environment of commands, without any of the server's own settings. */
  shellEnv: Readonly<Record<string, string>>;
}

/** Injects the `TurnServices` of the process. */
export const TURN_SERVICES = Symbol('TurnServices');

/** What turns are conducted with. One object a process; the parts know nothing of each other. */
export interface TurnServices extends Conductors {
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
  settings: TurnSettings;
}

/** Members of `TurnServices` that are made from the others. */
export interface Conductors {
  submitter: { submit(submission: TurnSubmission): Promise<SubmittedTurn> };
  answerer: {
    answer(request: {
      answers: readonly { approvalId: string; given: GivenAnswer }[];
      by: string;
    }): Promise<ApprovalRow[]>;
    answerOne(answer: { approvalId: string; given: GivenAnswer }, by: string): Promise<ApprovalRow>;
  };
  waker: { wake(turnId: string, priority: TurnPriority): () => void };
  positions: {
    publish(sessionId: string): Promise<void>;
    publishOne(turnId: string, position: number): Promise<void>;
  };
  promoter: { promoteNext(sessionId: string): Promise<void> };
  ender: {
    end(
      turnId: string,
      how: { reason: CancelReason; which: 'unstarted' | 'parked' },
    ): Promise<boolean>;
  };
  canceller: {
    cancel(turnId: string, reason: CancelReason): Promise<'ended' | 'running' | 'in-tool'>;
  };
  closer: { close(sessionId: string, by: string): Promise<void> };
  logs: { close(attempt: Attempt): Promise<void>; flush(attempt: Attempt): Promise<void> };
  follower: {
    follow(
      turnId: string,
      signal: AbortSignal,
      isNew?: boolean,
    ): AsyncGenerator<readonly TurnEvent[]>;
  };
}

/** What the configuration says to turns, read from it each time. */
export function settingsOf(
  config: Config,
  serverPermissions: PermissionRules,
  shellEnv: Readonly<Record<string, string>>,
): TurnSettings {
  const limits = {
    get maxTokens() {
      return config.maxTokens;
    },
    get toolTimeoutMs() {
      return config.toolTimeoutMs;
    },
    get toolOutputLimit() {
      return config.toolOutputLimit;
    },
    get overloadRetries() {
      return config.overloadRetries;
    },
  };
  const approvals = {
    get timeoutMs() {
      return config.approvalTimeoutMs;
    },
    get onTimeout() {
      return config.approvalDefault;
    },
    get unknownCalls() {
      return config.unknownCalls;
    },
  };
  return new Proxy({} as TurnSettings, {
    get: (_settings, name) =>
      ({
        ...config,
        environmentModel: config.model,
        defaultLimits: freeLimits(config),
        serverPermissions,
        ceiling: { mode: config.modeCeiling, tools: config.toolCeiling },
        // What a body may hold that is not a conversation: they are stored, and walked by many rules.
        maxOptionChars: config.maxBodyBytes,
        mostAttemptsInVain: config.mostAttempts,
        limits,
        approvals,
        subagents: { fanout: config.subagentFanout },
        shellEnv,
      })[name as keyof TurnSettings],
  });
}
