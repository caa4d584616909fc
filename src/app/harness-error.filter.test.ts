import 'reflect-metadata';
import { Controller, Get, HttpException, Module, Param, Res } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule, DiscoveryService, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { ManualClock } from '../../test/support/manual-clock.js';
import { CONFIG } from '../config/config.js';
import { Metrics } from '../telemetry/metrics.js';
import { CLOCK } from '../platform/clock.js';
import { createLogger, LOGGER } from '../platform/logger.js';
import { TypedError } from '../errors/typed-error.js';
import {
  ErrorsAs,
  findShapedPaths,
  envelopeShape,
  type ErrorShape,
} from '../http/errors/error-shape.js';
import { OpenReaders } from '../http/streams/open-readers.js';
import { streamTexts, type FrameStream } from '../http/streams/frame-batch.js';
import { Streams } from '../http/streams/stream.interceptor.js';
import { ErrorShapes, HarnessErrorFilter } from './harness-error.filter.js';

const lines: string[] = [];
const logger = createLogger({
  level: 'debug',
  readable: false,
  redact: (line) => line,
  destination: { write: (line) => void lines.push(line) },
});

const secret = new Error('select key from secrets');
const shortShape: ErrorShape = {
  ...envelopeShape,
  write: ({ status, headers, body }, path) => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/short' },
    body: { code: body.error.type, path },
  }),
};

let breakStream = (): void => undefined;
const broken = new Promise<void>((resolve) => (breakStream = resolve));

@Controller()
class Failing {
  @Get('typed')
  typed(): never {
    throw new TypedError('QUEUE_FULL', {
      message: 'Later',
      details: { depth: 3 },
      headers: { 'Retry-After': '5' },
    });
  }

  @Get('left')
  left(@Res() response: Response): never {
    response.destroy();
    throw secret;
  }

  @Get('fault')
  fault(): never {
    throw secret;
  }

  @Get('refused/:code')
  refused(@Param('code') code: string): never {
    throw new Error('it failed', { cause: Object.assign(new Error('a path of ours'), { code }) });
  }

  @Get('outside')
  outside(): never {
    throw new HttpException('select key from secrets', 502);
  }

  @Get('named/:name')
  named(@Param('name') name: string) {
    return { name };
  }

  @Get('stream/:frames')
  @Streams('harness')
  stream(@Param('frames') frames: string, @Res() _response: Response): FrameStream {
    return streamTexts(async function* () {
      if (frames === 'one') {
        yield 'id: turn_1:1.1\ndata: {"text":"Hello"}\n\n';
        await broken;
      }
      throw secret;
    });
  }
}

@Controller('short')
@ErrorsAs(shortShape)
class FailingShortly {
  @Get('named/:name')
  short(@Param('name') name: string): never {
    throw name === 'typed' ? new TypedError('RATE_LIMITED', { message: '' }) : secret;
  }
}

@Module({
  imports: [DiscoveryModule],
  controllers: [Failing, FailingShortly],
  providers: [
    Metrics,
    OpenReaders,
    { provide: CONFIG, useValue: { readerTimeoutMs: 1_000, readers: 9, readersPerPrincipal: 9 } },
    { provide: CLOCK, useValue: new ManualClock() },
    { provide: LOGGER, useValue: logger },
    {
      provide: ErrorShapes,
      inject: [DiscoveryService],
      useFactory: (discovery: DiscoveryService) => new ErrorShapes(findShapedPaths(discovery)),
    },
    { provide: APP_FILTER, useClass: HarnessErrorFilter },
  ],
})
class FailingModule {}

describe('the error filter', () => {
  let app: NestExpressApplication;
  let url: string;
  beforeAll(async () => {
    app = await NestFactory.create<NestExpressApplication>(FailingModule, {
      logger: false,
      bodyParser: false,
    });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());
  beforeEach(() => {
    lines.length = 0;
  });

  const logged = (): Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);

  it('answers a typed error as it is, and logs it as a refusal', async () => {
    const response = await fetch(`${url}/typed`);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({
      error: {
        type: 'QUEUE_FULL',
        message: 'Later',
        details: { depth: 3 },
        retryable: true,
        retryAfterMs: 5_000,
        correlationId: expect.any(String),
      },
    });
    expect(logged()).toEqual([
      expect.objectContaining({ level: 'debug', path: '/typed', type: 'QUEUE_FULL', status: 429 }),
    ]);
  });

  it.each([
    ['ENOSPC', 507, 'STORAGE_FULL', '30'],
    ['53100', 507, 'STORAGE_FULL', '30'],
    ['25006', 503, 'STORAGE_READ_ONLY', '5'],
    ['08006', 503, 'STORAGE_UNAVAILABLE', '5'],
  ])('says of a store that failed with %s what to do, and not where', async (...expected) => {
    const [code, ...answer] = expected;
    const response = await fetch(`${url}/refused/${code}`);
    const text = await response.text();
    const { error } = JSON.parse(text) as { error: { type: string } };
    expect([response.status, error.type, response.headers.get('retry-after')]).toEqual(answer);
    expect(text).not.toContain('a path of ours');
  });

  it.each(['/fault', '/outside', '/stream/none'])(
    'masks what %s throws, and logs it under the id it gives',
    async (path) => {
      const response = await fetch(`${url}${path}`);
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(text).not.toContain('secrets');
      const { error } = JSON.parse(text) as { error: { type: string; correlationId: string } };
      expect(error.type).toBe('SDK_FAILURE');
      expect(logged()).toEqual([
        expect.objectContaining({
          level: 'error',
          requestId: error.correlationId,
          error: expect.objectContaining({ message: secret.message }),
        }),
      ]);
    },
  );

  it.each<[string, number, string, string]>([
    ['/none', 404, 'ROUTE_NOT_FOUND', 'no route /none'],
    ['/named/%E0%A4%A', 400, 'INVALID_REQUEST', 'URL must be valid'],
    [
      `/none/tpk_${'0'.repeat(16)}_${'a'.repeat(43)}`,
      404,
      'ROUTE_NOT_FOUND',
      '/none/[REDACTED_API_KEY].',
    ],
  ])('words the errors of the framework anew: %s', async (path, ...rest) => {
    const [status, type, words] = rest;
    const response = await fetch(`${url}${path}`);
    const answer = (await response.json()) as { error: object };
    expect([response.status, answer.error]).toEqual([
      status,
      {
        type,
        message: expect.stringContaining(words),
        retryable: false,
        correlationId: expect.any(String),
      },
    ]);
  });

  it.each([
    ['GET /short/named/typed', 429, 'RATE_LIMITED'],
    ['GET /short/named/fault', 500, 'SDK_FAILURE'],
    ['GET /short/named/%E0%A4%A', 400, 'INVALID_REQUEST'],
    ['POST /short/named/typed', 404, 'ROUTE_NOT_FOUND'],
    ['GET /short', 404, 'ROUTE_NOT_FOUND'],
  ])('answers %s in the shape of its path', async (call, status, code) => {
    const [method = '', path = ''] = call.split(' ');
    const response = await fetch(`${url}${path}`, { method });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/short',
    ]);
    expect(await response.json()).toEqual({ code, path });
  });

  it('keeps a shape to its paths', async () => {
    const response = await fetch(`${url}/shorter`);
    expect(await response.json()).toMatchObject({ error: { type: 'ROUTE_NOT_FOUND' } });
  });

  it('makes no fault of a client that has left', async () => {
    await expect(fetch(`${url}/left`)).rejects.toThrow('fetch failed');
    expect(logged()).toEqual([expect.objectContaining({ level: 'debug', path: '/left' })]);
  });

  it('cuts a stream that breaks after a frame: every id its reader has is a cursor', async () => {
    const response = await fetch(`${url}/stream/one`);
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.includes('Hello')) breakStream();
      }
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(text.match(/^id: .*$/gm)).toEqual(['id: turn_1:1.1']);
    expect(logged()).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'a stream failed and was closed; its client can resume after the last event that it received',
        error: expect.objectContaining({ message: secret.message }),
      }),
    ]);
  });
});
