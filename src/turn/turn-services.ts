import type { PersonaLibrary } from '../agents/load-persona.js';
import type { EventLog } from '../events/event-log.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import type { SessionStore } from '../session/session-store.js';
import type { Database } from '../storage/connection.js';
import type { ToolRegistry } from '../tools/registry.js';
import type { EndWatch } from './end-watch.js';
import type { SignalBus } from './signal-bus.js';
import type { TurnClaims } from './turn-claims.js';
import type { TurnQueue } from './turn-queue.js';
import type { RunLimits } from './turn-run.js';

export interface TurnSettings {
  environmentModel: string | undefined;
  queueDepth: number;
  archiveKeepDays: number;
  leaseMs: number;
  turnTimeoutMs: number;
  drainMs: number;
  maxMessageChars: number;
  /** How long a reader may take nothing, in ms. */
  readerTimeoutMs: number;
  limits: RunLimits;
  /** The environment of commands, without any of the server's own settings. */
  shellEnv: Readonly<Record<string, string>>;
}

/** What turns are conducted with. One object a process; the parts know nothing of each other. */
export interface TurnServices {
  db: Database;
  log: EventLog;
  queue: TurnQueue;
  claims: TurnClaims;
  ends: EndWatch;
  bus: SignalBus;
  clock: Clock;
  logger: Logger;
  sessions: SessionStore;
  personas: PersonaLibrary;
  provider: AnthropicProvider;
  tools: ToolRegistry;
  settings: TurnSettings;
}
