import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openSessions } from '../load/open-sessions.mjs';
import { wires } from '../load/wires.mjs';
import { residentKb } from '../measure/sample-memory.mjs';
import { startTarget } from '../processes/start-target.mjs';

const atATime = 50;
const settleMs = 2_000;
const openTimeoutMs = 60_000;
const turns = 1_000;

/**
 * Measures the API's memory for each open, silent stream: 1,000 turns with one reader each, or with ten
 * without --quick.
 *
 * @param {import('./finding.mjs').BenchContext} context
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureIdle({ setup, projectRoot, onStop, options }) {
  const target = await startTarget('distributed', setup, {
    TURNPIKE_WORKER_CONCURRENCY: String(turns + 10),
    // The model sends one word and then stalls for the whole check.
    TURNPIKE_STALL_TIMEOUT_MS: '300000',
    TURNPIKE_DRAIN_MS: '0',
  });
  const agent = new Agent({ keepAlive: true });
  const stop = async () => {
    agent.destroy();
    await target.stop();
  };
  onStop(stop);
  try {
    const api = target.processes.find(({ name }) => name === 'api');
    if (api === undefined) throw new Error('There is no API process');
    const sessions = await openSessions(target.url, turns, projectRoot);
    const idleKb = residentKb(api.pid);
    const posts = sessions.map((sessionId) => () => open(agent, target.url, sessionId));
    const turnIds = await inBatches(posts);
    const more = options.quick ? 0 : 9;
    const reads = turnIds.flatMap((turnId) =>
      Array.from({ length: more }, () => () => open(agent, target.url, undefined, turnId)),
    );
    await inBatches(reads);
    await delay(settleMs);
    const streams = posts.length + reads.length;
    const usedKb = residentKb(api.pid) - idleKb;
    return [
      {
        what: `API memory per idle stream, ${streams} open`,
        value: usedKb / streams,
        unit: 'KB',
        most: 100,
        note: `${(usedKb / 1_024).toFixed(0)} MB in all`,
      },
    ];
  } finally {
    await stop();
  }
}

/** @template T @param {(() => Promise<T>)[]} jobs @returns {Promise<T[]>} */
async function inBatches(jobs) {
  const results = [];
  for (let at = 0; at < jobs.length; at += atATime) {
    results.push(...(await Promise.all(jobs.slice(at, at + atATime).map((job) => job()))));
  }
  return results;
}

/**
 * Opens a stream and leaves it open; resolves with its turn's id after the first word.
 *
 * @param {Agent} agent @param {string} url @param {string | undefined} sessionId @param {string} [turnId]
 * @returns {Promise<string>}
 */
function open(agent, url, sessionId, turnId) {
  return new Promise((resolve, reject) => {
    const wire = wires['turnpike'];
    if (wire === undefined) return reject(new Error('There is no wire for turnpike'));
    const post = turnId === undefined;
    const path = post ? wire.path : `/api/harness/turns/${turnId}/events`;
    const call = request(url + path, {
      method: post ? 'POST' : 'GET',
      agent,
      ...(post ? { headers: { 'content-type': 'application/json' } } : {}),
    });
    const timer = setTimeout(() => call.destroy(new Error('no word came')), openTimeoutMs);
    call.on('error', reject);
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      // The socket breaks at the end, without a listener.
      response.on('error', reject);
      response.on('data', (chunk) => {
        text = (text + chunk).slice(-2_000);
        if (!text.includes('event: chat:delta')) return;
        clearTimeout(timer);
        resolve(String(response.headers['x-turn-id']));
      });
      response.once('end', () =>
        reject(new Error(`A stream ended: ${response.statusCode} ${text}`)),
      );
    });
    call.end(
      post
        ? JSON.stringify(
            wire.body([{ role: 'user', content: '[[tokens=2 gap=900000]]' }], sessionId ?? ''),
          )
        : undefined,
    );
  });
}
