import {
  Inject,
  Injectable,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TurnpikeClient } from '../../client/turnpike-client.js';
import { createTurnpike } from '../create-turnpike.js';
import type { EmbeddedTurnpike, TurnpikeLogger, TurnpikeOptions } from '../embed-types.js';
import { MethodCalls } from './method-calls.js';

export { TurnpikeTool } from './method-calls.js';
export type { TurnpikeCallContext, TurnpikeToolOptions } from './method-calls.js';
export type { ExtensionCall as ToolCall } from '../../tools/extensions/extend.js';

/** The options of `createTurnpike`. Default of `basePath`: `/turnpike`; of `logger`: Nest's. */
export type TurnpikeModuleOptions = TurnpikeOptions;

/** Options that need other providers: `forRootAsync({ inject: [ConfigService], useFactory: (config) => … })`. */
export interface TurnpikeAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: FactoryProvider['inject'];
  useFactory(...injected: never[]): TurnpikeModuleOptions | Promise<TurnpikeModuleOptions>;
}

const OPTIONS = Symbol('TurnpikeModuleOptions');

/** The Turnpike of the application: it starts and ends with it. */
@Injectable()
export class Turnpike
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  #embedded: EmbeddedTurnpike | undefined;
  readonly #basePath: string;

  constructor(
    @Inject(OPTIONS) private readonly options: TurnpikeModuleOptions,
    private readonly calls: MethodCalls,
    { httpAdapter }: HttpAdapterHost,
  ) {
    this.#basePath = `/${(options.basePath ?? 'turnpike').replace(/^\/+|\/+$/g, '')}`;
    // Now, and not at the start: the application's body parser comes with `init`, and would read bodies first.
    if (httpAdapter !== undefined) this.#mount(httpAdapter);
  }

  /** A client that acts as a principal, without a network. @throws Error before the application has started. */
  client(principal: string): TurnpikeClient {
    if (this.#embedded === undefined) {
      throw new Error(
        'Turnpike has not started: use it from onApplicationBootstrap on, not before',
      );
    }
    return this.#embedded.client(principal);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { tools = [], logger = nestLogger() } = this.options;
    this.#embedded = await createTurnpike({
      ...this.options,
      basePath: this.#basePath,
      logger,
      tools: [...tools, ...this.calls.findTools()],
    });
    await this.#embedded.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#embedded?.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#embedded?.close();
  }

  #mount(adapter: NonNullable<HttpAdapterHost['httpAdapter']>): void {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      if (this.#embedded !== undefined) return this.#embedded.handler(request, response);
      response.writeHead(503, { 'retry-after': '1' }).end();
    };
    if (adapter.getType() !== 'fastify') {
      adapter.use(this.#basePath, answer);
      return;
    }
    const fastify = adapter.getInstance<FastifyHooks>();
    // Before Fastify looks for a route, and before it reads the body.
    fastify.addHook('onRequest', (request, reply, done) => {
      const [path = ''] = (request.raw.url ?? '').split('?');
      if (path !== this.#basePath && !path.startsWith(`${this.#basePath}/`)) return done();
      reply.hijack();
      answer(request.raw, reply.raw);
    });
  }
}

/** The parts of Fastify that are used. */
interface FastifyHooks {
  addHook(
    name: 'onRequest',
    hook: (
      request: { raw: IncomingMessage },
      reply: { raw: ServerResponse; hijack(): void },
      done: () => void,
    ) => void,
  ): void;
}

/** Durable agents inside of a Nest application: `TurnpikeModule.forRoot({ dataDir })`, or `forRootAsync`. */
@Module({
  imports: [DiscoveryModule],
  providers: [Turnpike, MethodCalls],
  exports: [Turnpike],
})
export class TurnpikeModule {
  static forRoot(options: TurnpikeModuleOptions): DynamicModule {
    return {
      module: TurnpikeModule,
      global: true,
      providers: [{ provide: OPTIONS, useValue: options }],
    };
  }

  static forRootAsync({ imports, inject, useFactory }: TurnpikeAsyncOptions): DynamicModule {
    return {
      module: TurnpikeModule,
      global: true,
      ...(imports === undefined ? {} : { imports }),
      providers: [{ provide: OPTIONS, useFactory, ...(inject === undefined ? {} : { inject }) }],
    };
  }
}

function nestLogger(): TurnpikeLogger {
  const logger = new Logger('Turnpike');
  const line =
    (level: 'debug' | 'log' | 'warn' | 'error') =>
    (fields: Record<string, unknown>, message: string): void =>
      logger[level](
        Object.keys(fields).length === 0 ? message : `${message} ${JSON.stringify(fields)}`,
      );
  return { debug: line('debug'), info: line('log'), warn: line('warn'), error: line('error') };
}
