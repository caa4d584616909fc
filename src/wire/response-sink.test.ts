import { createServer, type Server, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { silentLogger } from '../platform/logger.js';
import { responseSink } from './response-sink.js';

/** More than the kernel's buffers hold for a client that does not read. */
const MUCH = Buffer.alloc(32 * 1024 * 1024);

describe('the sink of a response', () => {
  let server: Server;
  let client: Socket;
  let response: ServerResponse;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = net.connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => client.destroy());
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    response = await new Promise((resolve) => server.once('request', (_, made) => resolve(made)));
  });
  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = () => responseSink(response, { clock, logger: silentLogger, deadlineMs: 1_000 });
  const untilItWaits = async (): Promise<void> => {
    while (clock.pending === 0) await clock.advance(0);
  };

  it('goes on at once for a client that keeps up', async () => {
    response.write('a little');
    await open().drained();
    expect(clock.pending).toBe(0);
  });

  it('waits for a client that does not, until it reads', async () => {
    response.write(MUCH);
    const drained = open().drained();
    await untilItWaits();
    await clock.advance(999);
    expect(response.destroyed).toBe(false);
    client.resume();
    await drained;
    expect([response.destroyed, response.writableNeedDrain, clock.pending]).toEqual([
      false,
      false,
      0,
    ]);
  });

  it('drops a client that takes nothing until the deadline', async () => {
    response.write(MUCH);
    const drained = open().drained();
    await untilItWaits();
    await clock.advance(1_000);
    await drained;
    expect([response.destroyed, clock.pending]).toEqual([true, 0]);
  });

  it('stops waiting for a client that left', async () => {
    response.write(MUCH);
    const drained = open().drained();
    await untilItWaits();
    client.destroy();
    await drained;
    expect(clock.pending).toBe(0);
  });

  it('drops a broken stream only when something of it has left', async () => {
    const sink = open();
    expect(sink.drop(new Error('no'))).toBe(false);
    expect(response.destroyed).toBe(false);
    response.write('a frame');
    expect(sink.drop(new Error('no'))).toBe(true);
    expect(response.destroyed).toBe(true);
  });
});
