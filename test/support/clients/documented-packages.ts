import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import type { TestServer } from '../processes/start-server.js';

interface Page {
  server(): TestServer;
  shell(code: string): Promise<string>;
  /** What the shortened ids of the page stand for. */
  names(): Record<string, string>;
}

const run = promisify(execFile);
const tests = fileURLToPath(new URL('../../', import.meta.url));

/** Uses of the blocks of pages that are about the packages of others. */
export function packageUses({ server, shell, names }: Page) {
  /** Runs a block as a module of a reader who has installed the package. */
  const runModule = async (code: string): Promise<string> => {
    const script = code.replaceAll('http://127.0.0.1:4400', server().url);
    const program = ['--input-type=module', '-e', script];
    return (await run(process.execPath, program, { cwd: tests })).stdout;
  };
  return {
    runsAgUi: async (code: string): Promise<string> => {
      const output = await runModule(`${code}\nconsole.log(agent.messages.at(-1).role);`);
      expect(output).toBe('assistant\n');
      return output;
    },
    runsOpenAi: async (code: string): Promise<string> => {
      const output = await runModule(code);
      expect(output).toContain('And what is new?');
      return output;
    },
    resumesResponse: async (code: string): Promise<string> => {
      const { body } = await server().client.post('/v1/responses', { input: '[[tokens=3]]' });
      Object.assign(names(), { 'resp_6b0f…': String(body['id']) });
      const output = await shell(code);
      expect(output).toMatch(
        /^retry: \d+\n\nevent: response\.[^]*"sequence_number":5[^]*data: \[DONE\]\n\n$/,
      );
      return output;
    },
  };
}
