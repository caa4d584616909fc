import { fileURLToPath } from 'node:url';
import { openSessions } from '../load/open-sessions.mjs';
import { startProcess } from '../processes/start-process.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { postTurn } from './read-frames.mjs';

const rehearsal = fileURLToPath(new URL('../model/serve-rehearsal.mjs', import.meta.url));
const all = ['read', 'glob', 'grep'];
const call = '[[tool=glob {"pattern":"*.none"}]]';
const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(40);

/** Ten turns of a typical session: long steps, wide steps, changes of tools and modes. */
const turns = [
  { message: filler },
  { message: `${filler} [[loop=3 tool=glob {"pattern":"*.$i"}]]` },
  { message: `A wide step. ${call.repeat(30)}` },
  { message: `${filler} Think. [[think=50]] ${call}`, opts: { thinking: true } },
  { message: `Plan. ${call}`, opts: { mode: 'plan' } },
  { message: 'Few tools.', opts: { tools: ['read'] } },
  { message: `Wide again. ${call.repeat(40)} [[think=20]]`, opts: { thinking: true } },
  { message: `${filler} [[loop=4 tool=glob {"pattern":"*.$i"}]]` },
  { message: '[[empty]]' },
  { message: `The end. ${filler}` },
];

/**
 * Measures how much of a call's request the next call reads from the provider's cache, which the rehearsal
 * model keeps by the API's rules.
 *
 * @param {import('./finding.mjs').BenchContext} context @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureCache({ setup, projectRoot, onStop }, name) {
  const model = await startProcess({ name: 'rehearsal', script: rehearsal, cwd: setup.folder });
  onStop(() => model.stop());
  const target = await startTarget(name, { ...setup, modelUrl: model.url });
  onStop(target.stop);
  try {
    const [sessionId = ''] = await openSessions(target.url, 1, projectRoot);
    const calls = [];
    for (const { message, opts = {} } of turns) {
      calls.push(
        ...(await usageOfSteps(target.url, { sessionId, message, opts: { tools: all, ...opts } })),
      );
    }
    let sent = 0;
    let read = 0;
    for (const [index, usage] of calls.slice(1).entries()) {
      const before = calls[index];
      if (before === undefined) continue;
      const prefix = before.inputTokens + before.cacheReadTokens + before.cacheWriteTokens;
      sent += prefix;
      read += Math.min(prefix, usage.cacheReadTokens);
    }
    return [
      {
        what: `${name}: of what a call sent, not read from the cache by the next`,
        value: 100 - (read * 100) / sent,
        unit: '%',
        most: 10,
        note: `${read} of ${sent} tokens in ${calls.length} calls of ${turns.length} turns`,
      },
    ];
  } finally {
    await target.stop();
    await model.stop();
  }
}

/** @param {string} url @param {{sessionId: string, message: string, opts: object}} turn */
async function usageOfSteps(url, turn) {
  /** @type {{inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number}[]} */
  const usages = [];
  let exit = '';
  for await (const frame of postTurn(url, turn)) {
    if (frame.event === 'step:end') usages.push(JSON.parse(frame.data).usage);
    if (frame.event === 'process:exit') exit = frame.data;
  }
  if (exit !== '{"exitCode":0}') throw new Error(`"${turn.message}" ended with ${exit}`);
  return usages;
}
