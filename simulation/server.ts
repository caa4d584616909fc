import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConsoleLogger, Module, type DynamicModule, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { MemoryRequestCounter, REQUEST_COUNTER } from '../src/governance/rates/request-rate.js';
import { BLOB_CONTENTS } from '../src/attachments/blob-store.js';
import { PostgresContents } from '../src/attachments/blobs/postgres-contents.js';
import { EmbeddedModule } from '../src/app/backend/embedded.module.js';
import { ports, PUBLISH_URL } from '../src/app/backend/ports.js';
import { parseConfig, type Config } from '../src/config/config.js';
import type { Role } from '../src/config/role.js';
import { EVENT_LOG } from '../src/events/event-log.js';
import { Housekeeper } from '../src/operations/housekeeper.js';
import type { Logger } from '../src/platform/logger.js';
import { ResourceStack } from '../src/platform/async/resource-stack.js';
import { Tracing } from '../src/telemetry/tracing.js';
import { AnthropicProvider } from '../src/provider/anthropic/anthropic-provider.js';
import { ScheduleTicker } from '../src/features/schedules/schedule-ticker.js';
import { AppModule } from '../src/app/app.module.js';
import { DATABASE, OPENED_DATABASE } from '../src/storage/connection.js';
import { ToolRegistry } from '../src/tools/registry.js';
import { builtinTools } from '../src/tools/builtin/builtin-tools.js';
import { SHELLS, shellsOff } from '../src/tools/shells.js';
import { SIGNAL_BUS } from '../src/turn/queue/signal-bus.js';
import { TURN_QUEUE } from '../src/turn/queue/turn-queue.js';
import { Presence } from '../src/turn/lifecycle/presence.js';
import { Sweeper } from '../src/turn/worker/sweeper.js';
import { TurnWorker } from '../src/turn/worker/turn-worker.js';
import { newActor, type Actor } from './actor.js';
import type { SimulatedDatabase } from './database.js';
import type { SimulatedRedis } from './redis.js';
import type { Folders } from './folders.js';
import type { Scheduler } from './scheduler.js';
import type { Services } from './services.js';
import { fakeTools, type Effects } from './tools.js';

export interface World {
  scheduler: Scheduler;
  services: Services;
  database: SimulatedDatabase;
  redis: SimulatedRedis;
  effects: Effects;
  folders: Folders;
  /** The model's API: one for all processes, with one prompt cache. */
  model: typeof fetch;
  /** Whether workers look for fire times of schedules. */
  hasSchedules: boolean;
  /** Whether calls await people, who may be too late. */
  awaitsPeople: boolean;
}

/** Time from a process's death to its next start, in ms. */
const RESTART_MS = 700;

const environment = {
  TURNPIKE_PROVIDER: 'anthropic',
  ANTHROPIC_API_KEY: 'simulated',
  TURNPIKE_MODEL: 'claude-haiku-5-5',
  TURNPIKE_LEASE_MS: '3000',
  TURNPIKE_DISCONNECT_GRACE_MS: '5000',
  TURNPIKE_WORKER_CONCURRENCY: '3',
  TURNPIKE_DRAIN_MS: '500',
  TURNPIKE_ENABLE_SUBAGENTS: 'true',
  TURNPIKE_APPROVAL_TIMEOUT_MS: '20000',
};

/** Where calls await people: a deadline that they miss now and then, and that decides otherwise for other calls. */
const awaitingEnvironment = {
  TURNPIKE_APPROVAL_TIMEOUT_MS: '8000',
  TURNPIKE_APPROVAL_DEFAULT: 'approve',
};

const quiet = new ConsoleLogger({ logLevels: [] });

const shells = shellsOff('the simulation runs no commands');

@Module({})
class SimulatedBackEnd {}

/** A process of the deployment over all its starts: it is started again after it died. */
export class Server {
  #actor: Actor;
  #app: TestingModule | undefined;
  #starts = 0;
  /** Called when the process dies: what its clients wait for never comes. */
  #onDeath = new Set<() => void>();
  problems: string[] = [];

  constructor(
    readonly name: string,
    readonly role: Role,
    private readonly world: World,
    private readonly skewMs: number,
  ) {
    this.#actor = newActor(`${name}.0`, skewMs);
  }

  get actor(): Actor {
    return this.#actor;
  }

  get isUp(): boolean {
    return this.#app !== undefined;
  }

  async start(): Promise<void> {
    this.#starts += 1;
    const actor = newActor(`${this.name}.${this.#starts}`, this.skewMs);
    this.#actor = actor;
    const { scheduler, services, database, redis, effects } = this.world;
    const clock = scheduler.clockOf(actor);
    const config: Config = {
      ...parseConfig({
        ...environment,
        ...(this.world.awaitsPeople ? awaitingEnvironment : {}),
      }),
      role: this.role,
      ...this.world.folders,
      dataDir: path.join(tmpdir(), 'turnpike-simulated-data'),
      // About two conversations: others are forgotten, and loaded again.
      conversationCacheMb: 0.02,
    };
    const opened = database.connect(actor, services);
    const logger = logTo(scheduler, actor);
    const values = {
      config,
      environment: {},
      clock,
      logger,
      redact: (text: string) => text,
      resources: new ResourceStack(),
    };
    const backEnd: DynamicModule = {
      module: SimulatedBackEnd,
      global: true,
      providers: [
        { provide: OPENED_DATABASE, useValue: opened },
        { provide: DATABASE, useValue: opened.db },
        { provide: EVENT_LOG, useValue: redis.logOf(actor) },
        { provide: TURN_QUEUE, useValue: redis.queueOf(actor) },
        { provide: SIGNAL_BUS, useValue: redis.busOf(actor) },
        { provide: REQUEST_COUNTER, useClass: MemoryRequestCounter },
        { provide: BLOB_CONTENTS, useValue: new PostgresContents(opened.db) },
        { provide: PUBLISH_URL, useValue: async () => undefined },
      ],
      exports: ports,
    };
    const provider = new AnthropicProvider(
      {
        ...config,
        mode: 'anthropic',
        baseUrl: 'https://api.anthropic.com',
        maxRetries: 0,
        fetch: this.world.model,
      },
      clock,
      new Tracing(config, values.redact),
    );
    const app = await Test.createTestingModule({
      imports: [AppModule.forRole(this.role, values)],
    })
      .setLogger(quiet)
      .overrideModule(EmbeddedModule)
      .useModule(backEnd)
      .overrideProvider(AnthropicProvider)
      .useValue(provider)
      .overrideProvider(SHELLS)
      .useValue(shells)
      .overrideProvider(ToolRegistry)
      .useValue(
        new ToolRegistry([...builtinTools(shells), ...fakeTools(actor, scheduler, effects)]),
      )
      .compile();
    await app.init();
    // Not what `Background` starts: webhooks have no receiver here.
    const anywhere = { strict: false };
    if (this.role === 'api') await app.get(Presence, anywhere).start();
    if (this.role === 'worker') {
      await app.get(TurnWorker, anywhere).start();
      await app.get(Sweeper, anywhere).start();
      app.get(Housekeeper, anywhere).start();
      if (this.world.hasSchedules) app.get(ScheduleTicker, anywhere).start();
    }
    this.#app = app;
    scheduler.note(actor, 'is up');
  }

  /** Starts the process until it is up: a start may meet services that are away. */
  async keepUp(): Promise<void> {
    const supervisor = newActor('supervisor');
    const clock = this.world.scheduler.clockOf(supervisor);
    for (;;) {
      const failure = await this.orDeath(this.start()).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (failure === undefined) return;
      this.world.scheduler.note(this.#actor, `did not start: ${String(failure.error)}`);
      this.#end();
      await new Promise<void>((resolve) => clock.after(RESTART_MS, resolve));
    }
  }

  /** Ends the process at once: nothing of it runs again. It is started again later. */
  kill(): void {
    this.#app = undefined;
    this.#end();
    const clock = this.world.scheduler.clockOf(newActor('supervisor'));
    clock.after(RESTART_MS, () => void this.keepUp());
  }

  /** Stops the process as SIGTERM does. */
  async stop(): Promise<void> {
    const app = this.#app;
    this.#app = undefined;
    this.#breakConnections();
    await app?.close();
    this.#end();
  }

  #end(): void {
    this.#actor.isDead = true;
    this.world.redis.forget(this.#actor);
    this.#breakConnections();
  }

  #breakConnections(): void {
    for (const onDeath of this.#onDeath) onDeath();
    this.#onDeath.clear();
  }

  /** A handler of the process. @throws Error when it is down. */
  handler<T>(type: Type<T>): T {
    if (this.#app === undefined) throw new Error(`${this.name} refuses connections`);
    return this.#app.get(type, { strict: false });
  }

  /** Waits for an answer of the process. @throws Error when the process dies before. */
  orDeath<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onDeath = (): void => reject(new Error(`${this.name} is gone`));
      this.#onDeath.add(onDeath);
      const done = (): void => void this.#onDeath.delete(onDeath);
      answer.then(resolve, reject).finally(done);
    });
  }

  /** Calls back when the process dies or stops. @returns what ends it. */
  onDeath(callback: () => void): () => void {
    this.#onDeath.add(callback);
    return () => void this.#onDeath.delete(callback);
  }
}

/** Log lines as lines of the trace. */
function logTo(scheduler: Scheduler, actor: Actor): Logger {
  const line =
    (level: string): Logger['info'] =>
    ({ error }, text) =>
      scheduler.note(actor, `log ${level}: ${text}${describeError(error)}`);
  const logger: Logger = {
    debug: () => undefined,
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: () => logger,
  };
  return logger;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : ` (${JSON.stringify(error)})`;
  const { message, cause } = error;
  return ` (${message.slice(0, 200)}${cause instanceof Error ? `: ${cause.message}` : ''})`;
}
