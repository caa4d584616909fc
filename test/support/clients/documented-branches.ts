import { expect } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { TestServer } from '../processes/start-server.js';

interface Page {
  server(): TestServer;
  shell(code: string): Promise<string>;
  /** What the shortened ids of the page stand for. */
  names(): Record<string, string>;
}

/** A block of TypeScript that needs no types to run. */
type Block = (client: TurnpikeClient, ...ids: string[]) => Promise<void>;
const AsyncFunction = (async () => undefined).constructor as new (...source: string[]) => Block;

/** Uses of the blocks of `docs/guide/branches.md`. */
export function branchUses({ server, shell, names }: Page) {
  const runTurn = async (): Promise<[sessionId: string, turnId: string]> => {
    const { client, projectRoot } = server();
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'Hello');
    await stream.all();
    return [sessionId, stream.response.headers.get('x-turn-id') ?? ''];
  };
  const forksByCurl = async (code: string): Promise<string> => {
    const [sessionId, turnId] = await runTurn();
    Object.assign(names(), { 'sess_b01a…': sessionId, 'turn_094c…': turnId });
    const output = await shell(code);
    expect(JSON.parse(output)).toMatchObject({
      session: { forkedFrom: { sessionId, turnId, position: 'after' } },
      filesReverted: false,
    });
    return output;
  };
  const runsInClient = async (code: string): Promise<string> => {
    const client = new TurnpikeClient({ url: server().url });
    await new AsyncFunction('client', 'sessionId', 'turnId', code)(client, ...(await runTurn()));
    return '';
  };
  const replacesByCurl = async (code: string): Promise<string> => {
    const [sessionId, turnId] = await runTurn();
    Object.assign(names(), { 'sess_b01a…': sessionId, 'turn_094c…': turnId });
    const stream = await shell(code);
    expect(stream).toContain(`"replaces":"${turnId}","filesReverted":false`);
    return stream;
  };
  return [forksByCurl, runsInClient, replacesByCurl];
}
