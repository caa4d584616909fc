import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';
import { describe, expect, it } from '@jest/globals';
import { manifest } from '../../support/package/manifest.js';
import { useServer } from '../../support/processes/start-server.js';

const root = new URL('../../../', import.meta.url);

/** The code blocks of the client's guide that are marked `ts client`, in order. */
function readExamples(): string[] {
  const text = readFileSync(new URL('docs/guide/client.md', root), 'utf8');
  return [...text.matchAll(/^```ts client\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** The directory that the package's exports name for the client. */
function publishedClient(): { code: string; types: string } {
  const at = (file: string): string => fileURLToPath(new URL(file, root));
  const found = manifest.exports['./client'];
  if (found === undefined || typeof found === 'string') throw new Error('There is no client');
  const { default: code, types } = found;
  return { code: at(code), types: at(types) };
}

describe('the documentation’s examples of the client', () => {
  const examples = readExamples();
  const server = useServer();

  /** Runs an example as its own program, over the published client. */
  async function run(example: string): Promise<{ code: number | null; output: string }> {
    const { code: client } = publishedClient();
    const script = example
      .replaceAll(`'${manifest.name}/client'`, JSON.stringify(pathToFileURL(client).href))
      .replaceAll('http://127.0.0.1:4400', server.url)
      .replaceAll('/home/me/project', server.projectRoot);
    const { code } = await transform(script, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
    });
    const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    return new Promise((resolve) => {
      child.once('close', (exitCode) => resolve({ code: exitCode, output }));
    });
  }

  it('are there, and so is what they import', async () => {
    expect(examples).toHaveLength(3);
    const { code, types } = publishedClient();
    expect([existsSync(code), existsSync(types)]).toEqual([true, true]);
  });

  it.each(examples.map((example, index): [number, string] => [index + 1, example]))(
    'run: number %i',
    async (_number, example) => {
      const { code, output } = await run(example);
      expect([output, code]).toEqual([expect.stringMatching(/tools answered|rehearsal/), 0]);
      expect(output).not.toContain('Error');
    },
  );
});
