import 'reflect-metadata';
import net from 'node:net';
import {
  Controller,
  Get,
  Injectable,
  Module,
  Res,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { EMPTY, finalize, type Observable } from 'rxjs';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { CONFIG } from '../../config/config.js';
import { Metrics } from '../../telemetry/metrics.js';
import { CLOCK } from '../../platform/clock.js';
import { LOGGER } from '../../platform/logger.js';
import { FrameStream, streamTexts, WholeAnswer } from './frame-batch.js';
import { OpenReaders } from './open-readers.js';
import { Streams } from './stream.interceptor.js';

/** Signals and steps that the sources of the streams observed. */
const notes: string[] = [];
let answer = (): void => undefined;

const frames = (): FrameStream =>
  streamTexts(async function* (signal) {
    notes.push(signal.aborted ? 'gone' : 'here');
    yield 'data: x\n\n';
  });

/** Notes when the framework has done what it does for a request. Around the stream's own: below it, and so first. */
@Injectable()
class NoteInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, route: CallHandler): Observable<unknown> {
    return route.handle().pipe(finalize(() => notes.push('done')));
  }
}

@Controller()
class StreamController {
  @Get('frames')
  @Streams('oracle')
  frames(@Res() response: Response): FrameStream {
    response.set('X-Stream', 'yes');
    return frames();
  }

  @Get('endless')
  @Streams('oracle')
  @UseInterceptors(NoteInterceptor)
  endless(@Res() _response: Response): FrameStream {
    return streamTexts(async function* (signal) {
      yield 'data: x\n\n';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
  }

  @Get('slow')
  @Streams('oracle')
  async slow(@Res() response: Response): Promise<FrameStream> {
    notes.push('asked');
    response.once('close', () => notes.push('left'));
    await new Promise<void>((resolve) => (answer = resolve));
    return frames();
  }

  @Get('whole')
  @Streams('oracle')
  whole(@Res() response: Response): WholeAnswer {
    response.status(202).set('X-Stream', 'no');
    return new WholeAnswer({ turn: 1 });
  }

  @Get('nothing')
  @Streams('oracle')
  nothing(@Res() _response: Response): FrameStream {
    return new FrameStream(EMPTY);
  }
}

@Module({
  controllers: [StreamController],
  providers: [
    Metrics,
    OpenReaders,
    {
      provide: CONFIG,
      useValue: { readerTimeoutMs: 1_000, readers: 9, readersPerPrincipal: 9 },
    },
    { provide: CLOCK, useValue: new ManualClock() },
    { provide: LOGGER, useValue: silentLogger },
  ],
})
class StreamsModule {}

describe('a route that returns batches of frames', () => {
  let app: NestExpressApplication;
  let url: string;
  beforeAll(async () => {
    app = await NestFactory.create<NestExpressApplication>(StreamsModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());
  beforeEach(() => {
    notes.length = 0;
  });

  it('has them written, under the headers that it set', async () => {
    const response = await fetch(`${url}/frames`);
    expect([response.status, response.headers.get('x-stream')]).toEqual([200, 'yes']);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toMatch(/^retry: \d{4}\n\ndata: x\n\n$/);
  });

  it('counts its readers by wire, and those that it lost', async () => {
    const { sseReaders, sseDrops } = app.get(Metrics);
    const readers = async () => (await sseReaders.get()).values;
    await fetch(`${url}/frames`).then((response) => response.text());
    expect(await readers()).toEqual([{ labels: { wire: 'oracle' }, value: 0 }]);
    const client = net.connect(Number(new URL(url).port), '127.0.0.1');
    client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
    await expectSoon(async () =>
      expect(await readers()).toEqual([{ labels: { wire: 'oracle' }, value: 1 }]),
    );
    client.destroy();
    await expectSoon(async () =>
      expect(await readers()).toEqual([{ labels: { wire: 'oracle' }, value: 0 }]),
    );
    expect((await sseDrops.get()).values).toContainEqual({
      labels: { reason: 'client' },
      value: 1,
    });
  });

  it('leaves the framework nothing to do while a stream goes on', async () => {
    const left = new AbortController();
    const { body } = await fetch(`${url}/endless`, { signal: left.signal });
    const reader = body?.getReader();
    try {
      await expectSoon(() => expect(notes).toEqual(['done']));
      expect((await reader?.read())?.done).toBe(false);
    } finally {
      left.abort();
    }
  });

  it('answers HEAD with the headers, and its source is not asked', async () => {
    const response = await fetch(`${url}/frames`, { method: 'HEAD' });
    expect([response.status, response.headers.get('x-stream')]).toEqual([200, 'yes']);
    expect(notes).toEqual([]);
  });

  it('answers with JSON where it returned a whole answer, with its status and headers', async () => {
    const response = await fetch(`${url}/whole`);
    expect([response.status, response.headers.get('x-stream')]).toEqual([202, 'no']);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-length')).toBe('10');
    expect(await response.text()).toBe('{"turn":1}');
  });

  it('answers 204 where no batch comes', async () => {
    const response = await fetch(`${url}/nothing`);
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('has its stream begun and ended for a client that left while it was at work', async () => {
    const client = net.connect(Number(new URL(url).port), '127.0.0.1');
    client.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await expectSoon(() => expect(notes).toEqual(['asked']));
    client.destroy();
    await expectSoon(() => expect(notes).toEqual(['asked', 'left']));
    answer();
    await expectSoon(() => expect(notes).toEqual(['asked', 'left', 'gone']));
  });
});
