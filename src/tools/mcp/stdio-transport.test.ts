import { expect, it } from '@jest/globals';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { systemClock } from '../../platform/clock.js';
import { StdioTransport } from './stdio-transport.js';

it('reads the messages of a command between its other lines, the first after a mark of its encoding', async () => {
  const answer = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
  const output = `\uFEFF${answer(1)}\nStarting…\r\n\n${answer(2)}\r\n`;
  const transport = new StdioTransport({
    command: process.execPath,
    args: ['-e', `process.stdout.write(${JSON.stringify(output)})`],
    env: {},
    cwd: undefined,
    clock: systemClock,
    onStderr: () => undefined,
  });
  const ids: unknown[] = [];
  const closed = new Promise<void>((resolve) => {
    Object.assign(transport, { onclose: resolve });
  });
  const onmessage = (message: JSONRPCMessage): void => void ids.push('id' in message && message.id);
  Object.assign(transport, { onmessage });
  await transport.start();
  await closed;
  expect(ids).toEqual([1, 2]);
});
