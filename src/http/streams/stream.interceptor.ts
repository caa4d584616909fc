import {
  applyDecorators,
  Inject,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ServerResponse } from 'node:http';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../telemetry/metrics.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import type { SessionOrigin } from '../../storage/shapes/stored-turn.js';
import { WholeAnswer, type FrameStream } from './frame-batch.js';
import { recordOf } from '../request-record.js';
import { asideFrame } from './aside.js';
import { watchAccess, type AccessEnd } from './stream-access.js';
import { OpenReaders } from './open-readers.js';
import { writeStream, type DropReason, type StreamSays } from './write-stream.js';
import { printJson } from '../../platform/exact-json.js';

/**
 * Writes what a route returns: a stream, or a whole answer, or 204 where no batch comes. The route takes `@Res()`:
 * the framework leaves the response of such a route alone, and the route names its stream in the headers.
 */
@Injectable()
class StreamInterceptor implements NestInterceptor<FrameStream | WholeAnswer, void> {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'readerTimeoutMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly reflector: Reflector,
    private readonly metrics: Metrics,
    private readonly readers: OpenReaders,
  ) {}

  async intercept(
    context: ExecutionContext,
    route: CallHandler<FrameStream | WholeAnswer>,
  ): Promise<Observable<void>> {
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const wire = this.reflector.get<SessionOrigin>(WIRE, context.getHandler());
    // Before the route is at work: a refused request has stored nothing.
    this.readers.open(response);
    await this.readers.mayBegin();
    const answer = await lastValueFrom(route.handle());
    // The database may have answered for hundreds of them at once.
    await this.readers.mayBegin();
    if (answer instanceof WholeAnswer) writeWhole(response, answer);
    else await this.#begin(response, answer, wire);
    return of(undefined);
  }

  /**
   * Resolves once the stream's head is sent: what the framework has of a request is alive while its route is at work.
   *
   * @throws an error that can still be the answer.
   */
  #begin(response: ServerResponse, stream: FrameStream, wire: SessionOrigin): Promise<void> {
    const { clock, logger, config } = this;
    const write = async (onHead: () => void): Promise<void> => {
      const onOpen = () => this.#open(wire);
      const watch = ({ end, tell }: StreamSays) => {
        const unwatch = this.#watch(response, (reason) =>
          end(asideFrame(wire, { name: 'session:reauthenticate', data: { reason } })),
        );
        const untell = stream.asides?.((aside) => tell(asideFrame(wire, aside)));
        return () => {
          unwatch();
          untell?.();
        };
      };
      const timeoutMs = config.readerTimeoutMs;
      const deps = { clock, logger, timeoutMs, onOpen, onHead, watch };
      if (!(await writeStream(response, stream, deps))) response.writeHead(204).end();
    };
    return new Promise((resolve, reject) => void write(resolve).then(resolve, reject));
  }

  /** Ends a stream with the access of its reader. @returns ends the watch. */
  #watch(response: ServerResponse, end: (reason: AccessEnd) => void): () => void {
    const { readers, clock } = this;
    const { access } = recordOf(response.req) ?? {};
    readers.endBy(response, () => end('ended'));
    const unwatch = access && watchAccess(access, clock, end);
    return () => {
      // What is written by now, the client may still take.
      readers.endBy(response, () => undefined);
      unwatch?.();
    };
  }

  #open(wire: SessionOrigin): (dropped?: DropReason) => void {
    const { sseReaders, sseDrops } = this.metrics;
    sseReaders.inc({ wire });
    return (reason) => {
      sseReaders.dec({ wire });
      if (reason !== undefined) sseDrops.inc({ reason });
    };
  }
}

const WIRE = 'turnpike:wire';

/** The route streams what it returns, on this wire. */
export const Streams = (wire: SessionOrigin) =>
  applyDecorators(UseInterceptors(StreamInterceptor), SetMetadata(WIRE, wire));

function writeWhole(response: ServerResponse, { body }: WholeAnswer): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(printJson(body));
}
