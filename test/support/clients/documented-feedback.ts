import { expect } from '@jest/globals';
import { cliProgram } from '../processes/built-programs.js';
import type { TestServer } from '../processes/start-server.js';

interface Page {
  server(): TestServer;
  /** Runs a block as a reader would. */
  shell(code: string, environment?: Record<string, string>): Promise<string>;
  /** Says what a shortened id of the page stands for. */
  name(shown: string, real: string): void;
}

/** Uses of the blocks of docs/guide/feedback.md, in their order. */
export function feedbackUses({ server, shell, name }: Page): ((code: string) => Promise<string>)[] {
  return [
    async (code) => {
      const { client, projectRoot } = server();
      const turn = await client.turn(await client.createSession(projectRoot), 'Hello');
      await turn.all();
      name('turn_094c…', turn.header('x-turn-id'));
      const output = await shell(code);
      expect(output).toContain('"comment":"Right to the point."');
      return output;
    },
    async (code) => {
      const output = await shell(code);
      expect(output.split('"key":"helpful"')).toHaveLength(4);
      return output;
    },
    async (code) => {
      const program = `turnpike() { ${cliProgram.join(' ')} "$@"; }\n`;
      const output = await shell(program + code, { TURNPIKE_URL: server().url });
      expect(output.split('helpful=true')).toHaveLength(4);
      return output;
    },
  ];
}
