import { expect } from '@jest/globals';
import type { TestServer } from '../processes/start-server.js';

type Use = (code: string) => Promise<string>;

interface Reader {
  server(): TestServer;
  shell(code: string): Promise<string>;
  /** Says what a shortened id of the page stands for. */
  name(shown: string, real: string): void;
}

/** The blocks of docs/guide/structured-output.md that a reader runs. */
export function outputUses({ server, shell, name }: Reader): Use[] {
  return [
    async (code) => {
      const { client, projectRoot } = server();
      name('sess_b01a…', await client.createSession(projectRoot));
      const output = await shell(code);
      // The rehearsal's simplest object of the schema.
      const object = { city: 'text', people: 1 };
      expect(JSON.parse(output)).toMatchObject({ outcome: 'completed', output: object });
      return output;
    },
  ];
}
