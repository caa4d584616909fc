import { expect } from '@jest/globals';
import { parsePersona } from '../agents/parse-persona.js';
import { cliProgram } from '../processes/built-programs.js';
import type { TestServer } from '../processes/start-server.js';

interface Page {
  server(): TestServer;
  /** Runs a block as a reader would. */
  shell(code: string, environment?: Record<string, string>): Promise<string>;
  /** Says what a shortened id of the page stands for. */
  name(shown: string, real: string): void;
}

/** Uses of the blocks of docs/guide/memory.md, in their order. */
export function memoryUses({ server, shell, name }: Page): ((code: string) => Promise<string>)[] {
  return [
    async (code) => {
      const { memory, problems } = parsePersona('REPORTER', code);
      expect({ memory, problems }).toEqual({ memory: true, problems: [] });
      return '';
    },
    async (code) => {
      const { client, projectRoot } = server();
      name('sess_b01a…', await client.createSession(projectRoot));
      const stream = await shell(code);
      expect(stream).toContain('File created successfully at: /memories/report.md');
      return stream;
    },
    async (code) => {
      const output = await shell(code);
      expect(output).toMatch(/^ETag: "\d+"/im);
      for (const text of ['Due on Fridays.', 'Due on Thursdays.', '{"deletedFiles":1}']) {
        expect(output).toContain(text);
      }
      return output;
    },
    (code) =>
      shell(`turnpike() { ${cliProgram.join(' ')} "$@"; }\n${code}`, {
        TURNPIKE_URL: server().url,
      }),
  ];
}
