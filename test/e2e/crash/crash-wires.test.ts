import { beforeAll, describe, expect, it } from '@jest/globals';
import { callTool, connectMcp } from '../../support/clients/mcp-client.js';
import { wireClients } from '../../support/clients/wire-clients.js';
import { answer, openKilledServer } from '../../support/crash/killed-server.js';
import { useShared } from '../../support/suite.js';

describe('a server that is killed in the middle of an answer, and starts again', () => {
  const scene = useShared(openKilledServer);
  const back = new Map<string, Promise<unknown>>();
  let turnId: unknown;
  beforeAll(async () => {
    await scene.ask(wireClients);
    const client = await connectMcp(scene.url);
    const started = await callTool(client, 'start_turn', {
      message: scene.message,
      waitSeconds: 0,
    });
    turnId = started.structured['turnId'];
    await scene.killAndStart();
    await client.close();
    for (const [name, wire] of scene.clients) {
      const coming = wire.comeBack();
      coming.catch(() => undefined);
      back.set(name, coming);
    }
  });

  it.each(Object.keys(wireClients))('leaves %s with the answer, said once', async (name) => {
    await back.get(name);
    expect(scene.clients.get(name)?.answer()).toBe(answer);
  });

  it('leaves a client of MCP with the answer, said once', async () => {
    const client = await connectMcp(scene.url);
    const read = await callTool(client, 'read_turn', { turnId, waitSeconds: 50 });
    expect(read).toMatchObject({ isError: false, structured: { status: 'completed' } });
    expect(read.said).toBe(answer);
    await client.close();
  });
});
