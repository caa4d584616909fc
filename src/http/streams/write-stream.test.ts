import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { EMPTY } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { collectGarbage } from '../../../test/support/collect-garbage.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { harnessDialect } from '../../wires/harness/dialect/harness.js';
import { TurnEncoder } from '../../wires/framing/turn-encoder.js';
import { FrameStream, followItems, streamFrames } from './frame-batch.js';
import { writeStream, type DropReason, type StreamSays } from './write-stream.js';

const delta = (seq: number, text = 'x'): TurnEvent => ({
  type: 'text.delta',
  step: 1,
  text,
  attempt: 1,
  seq,
  at: '',
});

/** More than the kernel's buffers take for a client that does not read. */
const MUCH = 'x'.repeat(32 * 1024 * 1024);

const MIB = 1024 * 1024;

/** Bytes that are in use, buffers included. */
function usedMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function* silence(signal: AbortSignal): AsyncGenerator<TurnEvent[]> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  yield [];
}

describe('writeStream', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let response: ServerResponse;
  let clock: ManualClock;
  /** How the streams of the test ended: what dropped them, where something did. */
  let ends: (DropReason | undefined)[];
  beforeEach(async () => {
    clock = new ManualClock();
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    received = '';
    ends = [];
  });
  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (method = 'GET', headers = '', version = '1.1'): Promise<void> => {
    client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.setEncoding('utf8').on('data', (text: string) => (received += text));
    client.on('error', () => client.destroy());
    client.write(`${method} / HTTP/${version}\r\nHost: x\r\n${headers}\r\n`);
    response = await new Promise((resolve) =>
      server.once('request', (_: IncomingMessage, made: ServerResponse) => resolve(made)),
    );
  };
  type Follow = (signal: AbortSignal) => AsyncIterable<readonly TurnEvent[]>;
  const onOpen = () => (dropped?: DropReason) => void ends.push(dropped);
  const write = (follow: Follow, options = {}, timeoutMs = 1_000) => {
    const frames = streamFrames(
      followItems(follow),
      new TurnEncoder(harnessDialect, 'turn_1'),
      options,
    );
    return writeStream(response, frames, { clock, logger: silentLogger, timeoutMs, onOpen });
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  };
  const keepalives = (): number => received.split(': keepalive').length - 1;

  it('ends with the access of its reader: by a frame that says so, and no event after it', async () => {
    await ask();
    let end: (frame: string) => void = () => undefined;
    let isWatched = false;
    let isFollowed = true;
    const frames = streamFrames(
      followItems(async function* (signal: AbortSignal) {
        yield [delta(1, 'a')];
        signal.addEventListener('abort', () => (isFollowed = false));
        yield* silence(signal);
      }),
      new TurnEncoder(harnessDialect, 'turn_1'),
    );
    const watch = (says: StreamSays) => {
      says.tell('event: turn:stalled\ndata: {}\n\n');
      ({ end } = says);
      isWatched = true;
      return () => void (isWatched = false);
    };
    const deps = { clock, logger: silentLogger, timeoutMs: 1_000, onOpen, watch };
    const written = writeStream(response, frames, deps);
    await until(() => received.includes('"a"'));
    expect(isWatched).toBe(true);
    end('event: session:reauthenticate\ndata: {}\n\n');
    await written;
    await until(() => !isFollowed && received.endsWith('0\r\n\r\n'));
    expect(received.split('\n\n').at(-2)).toContain('session:reauthenticate');
    expect(received).toContain('event: turn:stalled\ndata: {}\n\n');
    expect([ends, isWatched]).toEqual([[undefined], false]);
  });

  it('writes every event as a frame, with the headers of a stream, and ends', async () => {
    await ask();
    await write(async function* () {
      yield [delta(1, 'a'), delta(2, 'b')];
      yield [delta(3, 'c')];
    });
    await until(() => received.includes('\r\n0\r\n\r\n'));
    expect(received).toMatch(
      /^HTTP\/1.1 200 OK\r\nContent-Type: text\/event-stream; charset=utf-8/,
    );
    expect(received).toContain('Cache-Control: no-cache, no-transform\r\n');
    expect(received).toContain('X-Accel-Buffering: no\r\n');
    expect(received.match(/^id: .*$/gm)).toEqual([
      'id: turn_1:1.1',
      'id: turn_1:1.2',
      'id: turn_1:1.3',
    ]);
    expect(received).toContain(
      'event: chat:delta\nid: turn_1:1.1\ndata: {"text":"a","step":1}\n\n',
    );
    expect(clock.pending).toBe(0);
  });

  it('tells an EventSource once, and nobody else, when to come back', async () => {
    await ask();
    await write(async function* () {
      yield [delta(1, 'a')];
      yield [delta(2, 'b')];
    });
    await until(() => received.includes('\r\n0\r\n\r\n'));
    const [, retryMs] = /retry: (\d+)\n\n/.exec(received) ?? [];
    expect(Number(retryMs)).toBeGreaterThanOrEqual(1_000);
    expect(Number(retryMs)).toBeLessThanOrEqual(3_000);
    expect(received.match(/retry:/g)).toHaveLength(1);
    expect(received.indexOf('retry:')).toBeLessThan(received.indexOf('event:'));
    client.destroy();
    received = '';
    await ask('POST');
    await write(async function* () {
      yield [delta(1, 'a')];
    });
    await until(() => received.includes('\r\n0\r\n\r\n'));
    expect(received).not.toContain('retry:');
  });

  it.each([
    ['', 'keep-alive'],
    ['Connection: close\r\n', 'close'],
  ])('says with %j in the request that the connection is %s after it', async (header, after) => {
    await ask('GET', header);
    await write(async function* () {
      yield [delta(1)];
    });
    await until(() => received.includes('\r\n0\r\n\r\n'));
    expect(received).toContain(`\r\nConnection: ${after}\r\n`);
  });

  it('writes texts of any script, whose bytes are more than their characters', async () => {
    const { port } = server.address() as AddressInfo;
    const requested = once(server, 'request');
    const answered = fetch(`http://127.0.0.1:${port}/`);
    response = ((await requested) as [IncomingMessage, ServerResponse])[1];
    await write(async function* () {
      yield [delta(1, 'plain'), delta(2, 'zäh')];
      yield [delta(3, '語 😀')];
      yield [delta(4, 'plain again')];
    });
    const body = await (await answered).text();
    const texts = [...body.matchAll(/"text":"(.*?)"/g)].map(([, text]) => text);
    expect(texts).toEqual(['plain', 'zäh', '語 😀', 'plain again']);
  });

  it('writes no chunks to a client that does not know them', async () => {
    await ask('GET', '', '1.0');
    await write(async function* () {
      yield [delta(1)];
    });
    await until(() => received.includes('chat:delta'));
    expect(received).toMatch(/\r\n\r\nretry: \d+\n\nevent: chat:delta\nid: .*\ndata: .*\n\n$/);
  });

  it('answers 204 to who may have all of it, and has', async () => {
    await ask();
    await write(
      async function* () {
        // The turn of the event loop in which a stream would have been opened.
        for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve));
        yield [];
      },
      { mayBeEmpty: true },
    );
    await until(() => received.includes('\r\n\r\n'));
    expect(received).toMatch(/^HTTP\/1.1 204 No Content\r\n/);
    expect(received).not.toContain('text/event-stream');
    expect(clock.pending).toBe(0);
  });

  it('answers with what is left to who may have all of it, and has not', async () => {
    await ask();
    await write(
      async function* () {
        yield [delta(1)];
      },
      { mayBeEmpty: true },
    );
    await until(() => received.includes('\r\n0\r\n\r\n'));
    expect(received).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Type: text\/event-stream/);
    expect(received.match(/^id: .*$/gm)).toEqual(['id: turn_1:1.1']);
  });

  it('writes nothing where no batch comes, and says so', async () => {
    await ask();
    const deps = { clock, logger: silentLogger, timeoutMs: 1_000, onOpen };
    expect(await writeStream(response, new FrameStream(EMPTY), deps)).toBe(false);
    expect([response.headersSent, response.writableEnded, clock.pending]).toEqual([
      false,
      false,
      0,
    ]);
  });

  it('opens the stream before anything was said', async () => {
    await ask();
    const written = write(silence);
    await until(() => received.includes('text/event-stream'));
    client.destroy();
    await written;
  });

  it('answers HEAD with the headers alone', async () => {
    await ask('HEAD');
    await write(silence);
    await until(() => received.includes('text/event-stream'));
    expect(response.writableEnded).toBe(true);
  });

  it('says something after every fifteen seconds of silence, and not sooner', async () => {
    await ask();
    let emit = (_events: TurnEvent[]): void => undefined;
    const emitted = new Promise<TurnEvent[]>((resolve) => (emit = resolve));
    const written = write(async function* (signal) {
      yield await emitted;
      yield* silence(signal);
    });
    await clock.advance(14_999);
    emit([delta(1)]);
    await until(() => received.includes('chat:delta'));
    await clock.advance(14_999);
    expect(keepalives()).toBe(0);
    await clock.advance(1);
    await until(() => keepalives() === 1);
    await clock.advance(15_000);
    await until(() => keepalives() === 2);
    client.destroy();
    await written;
    expect(clock.pending).toBe(0);
  });

  it('passes on what fails before anything is written', async () => {
    await ask();
    const broken = new Error('no');
    const written = write(() => {
      throw broken;
    });
    await expect(written).rejects.toBe(broken);
    expect([response.headersSent, clock.pending]).toEqual([false, 0]);
    response.end();
  });

  it('cuts a stream that breaks later: every id its reader has is a cursor', async () => {
    await ask();
    await write(async function* () {
      yield [delta(1)];
      throw new Error('no');
    });
    expect([response.destroyed, response.writableEnded]).toEqual([true, false]);
    expect(ends).toEqual(['error']);
  });

  it('stops following when its reader goes, and logs no error', async () => {
    await ask();
    let aborted = false;
    const written = write(async function* (signal) {
      signal.addEventListener('abort', () => (aborted = true));
      yield* silence(signal);
      throw new Error('late');
    });
    client.destroy();
    await written;
    expect([aborted, clock.pending]).toEqual([true, 0]);
    expect(ends).toEqual(['client']);
  });

  it('counts a client that left before as a reader that came and went', async () => {
    await ask();
    client.destroy();
    await until(() => response.destroyed);
    const steps: string[] = [];
    await write(async function* (signal) {
      steps.push(signal.aborted ? 'gone' : 'here');
      yield [delta(1)];
      steps.push('read on');
    });
    expect(steps).toEqual(['gone']);
    expect(received).toBe('');
  });

  it('waits for a reader that does not keep up with a long replay', async () => {
    await ask();
    client.pause();
    let asked = 0;
    const written = write(async function* () {
      for (asked = 1; asked <= 2; asked += 1) yield [delta(asked, MUCH)];
    });
    await until(() => response.socket?.writableNeedDrain === true);
    await clock.advance(999);
    expect(asked).toBe(1);
    client.resume();
    await written;
    expect([asked, response.writableEnded]).toEqual([3, true]);
    expect(ends).toEqual([undefined]);
  });

  // By a clock of its own: what a minute does are the timers of a stream, and the source is asked as often
  // as it would be in a minute of the wall.
  it('has a long replay in memory no more than a batch at a time, read or not', async () => {
    await ask();
    client.removeAllListeners('data').pause();
    let received = 0;
    client.on('data', (text: string) => (received += text.length)).pause();
    const batches = 512;
    const text = 'x'.repeat(128 * 1024);
    const startedWith = usedMemory();
    let most = 0;
    let made = 0;
    const written = write(
      async function* () {
        for (made = 1; made <= batches; made += 1) {
          if (made % 32 === 0) most = Math.max(most, usedMemory());
          yield [delta(made, `${made}${text}`)];
        }
      },
      {},
      120_000,
    );
    await until(() => response.socket?.writableNeedDrain === true);
    const madeAtFirst = made;
    for (let second = 1; second <= 60; second += 1) await clock.advance(1_000);
    expect([made, response.destroyed]).toEqual([madeAtFirst, false]);
    const held = usedMemory() - startedWith;
    client.resume();
    await written;
    await until(() => received > batches * text.length);
    // 64 MiB have gone by.
    expect(held).toBeLessThan(16 * MIB);
    expect(most - startedWith).toBeLessThan(16 * MIB);
  });

  it('drops a reader that takes nothing until the deadline', async () => {
    await ask();
    client.pause();
    const written = write(async function* (signal) {
      yield [delta(1, MUCH)];
      yield* silence(signal);
    });
    await until(() => response.socket?.writableNeedDrain === true);
    await clock.advance(1_000);
    await written;
    expect([response.destroyed, clock.pending]).toEqual([true, 0]);
    expect(ends).toEqual(['slow']);
  });
});
