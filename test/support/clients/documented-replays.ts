import { expect } from '@jest/globals';
import { TurnpikeClient, type TurnComparison } from '../../../src/client/turnpike-client.js';
import { cliProgram } from '../processes/built-programs.js';
import type { TestServer } from '../processes/start-server.js';

interface Page {
  server(): TestServer;
  /** Runs a block as a reader would. */
  shell(code: string, environment?: Record<string, string>): Promise<string>;
  /** Says what a shortened id of the page stands for. */
  name(shown: string, real: string): void;
}

type Block = (client: TurnpikeClient, turnId: string) => Promise<TurnComparison>;
const AsyncFunction = (async () => undefined).constructor as new (...source: string[]) => Block;

/** Uses of the blocks of docs/guide/replay.md, in their order. */
export function replayUses({ server, shell, name }: Page): ((code: string) => Promise<string>)[] {
  let turnId = '';
  return [
    async (code) => {
      const { client, projectRoot } = server();
      const turn = await client.turn(await client.createSession(projectRoot), 'Hello');
      await turn.all();
      turnId = turn.header('x-turn-id');
      name('turn_094c…', turnId);
      const output = await shell(code);
      const { turn: replay } = JSON.parse(output) as { turn: { turnId: string } };
      expect(replay).toMatchObject({ replayOf: turnId, options: { model: 'claude-haiku-5-5' } });
      name('turn_5d10…', replay.turnId);
      await (await client.follow(replay.turnId)).all();
      return output;
    },
    async (code) => {
      const output = await shell(code);
      expect(output).toContain('"recorded":{"hits":0,"misses":0}');
      expect(output).toContain('"replays":[{');
      return output;
    },
    async (code) => {
      const client = new TurnpikeClient({ url: server().url });
      const block = new AsyncFunction(
        'client',
        'turnId',
        `${code}\nreturn { left, right, tools };`,
      );
      const { left, right } = await block(client, turnId);
      expect([left.turnId, right.replayOf, right.outcome]).toEqual([turnId, turnId, 'completed']);
      return '';
    },
    async (code) => {
      const program = `turnpike() { ${cliProgram.join(' ')} "$@"; }\n`;
      const output = await shell(program + code, { TURNPIKE_URL: server().url });
      expect(output).toContain('claude-haiku-5-5');
      return output;
    },
  ];
}
