/**
 * The process of one side of `measure-sessions.ts`: `measure-side.ts SDK COUNT [USER]`. It begins as many queries at once,
 * each of which the model lets hang, prints the milliseconds until the first message of each, and stays until its input
 * ends.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentSdk } from '../agent-sdk.js';
import { becomeUser } from './own-user.js';

const [module = '', count = '1', user] = process.argv.slice(2);
const sdk = (await import(pathToFileURL(module).href)) as AgentSdk;
if (user !== undefined) becomeUser(Number(user));

async function first(number: number): Promise<number> {
  const cwd = path.join(process.cwd(), `p${number}`);
  mkdirSync(cwd);
  const began = performance.now();
  const options = { cwd, tools: [], settingSources: [] };
  const query = sdk.query({ prompt: 'Tell me a story.', options });
  await query.next();
  return performance.now() - began;
}

const times = await Promise.all(Array.from({ length: Number(count) }, (_, index) => first(index)));
process.stdout.write(`${JSON.stringify(times)}\n`);
process.stdin.resume().once('end', () => process.exit());
