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
import { of, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../metrics/metrics.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import type { SessionOrigin } from '../../storage/schema.js';
import { WholeAnswer, type FrameBatch } from './frame-batch.js';
import { writeStream, type DropReason } from './write-stream.js';

/**
 * Writes what a route returns: an Observable of batches, or a whole answer, or 204 where no batch comes. The route
 * takes `@Res()`: the framework leaves the response of such a route alone, and the route names its stream in the
 * headers.
 */
@Injectable()
class StreamInterceptor implements NestInterceptor<FrameBatch | WholeAnswer, void> {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'readerTimeoutMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly reflector: Reflector,
    private readonly metrics: Metrics,
  ) {}

  /** The stream is written on its own subscription: the framework's ends before the route has answered. */
  async intercept(
    context: ExecutionContext,
    route: CallHandler<FrameBatch | WholeAnswer>,
  ): Promise<Observable<void>> {
    const { clock, logger, config } = this;
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const wire = this.reflector.get<SessionOrigin>(WIRE, context.getHandler());
    const onOpen = () => this.#open(wire);
    const deps = { clock, logger, timeoutMs: config.readerTimeoutMs, onOpen };
    const came = await writeStream(response, route.handle(), deps);
    if (came instanceof WholeAnswer) writeWhole(response, came);
    else if (came === 'nothing') response.writeHead(204).end();
    return of(undefined);
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
  response.end(JSON.stringify(body));
}
