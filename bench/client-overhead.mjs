import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { createParser } from 'eventsource-parser';
import { median } from './measure/median-of.mjs';

const rounds = 5;
const turnId = 'turn_bench';
const chunkBytes = 16 * 1024;

/**
 * Measures the cost of the typed client beside its parser: the same bytes from memory through the client
 * and through the parser and JSON.parse alone, in alternation; medians.
 *
 * @param {{events: number}} size
 * @returns {Promise<import('./checks/finding.mjs').Finding[]>}
 */
export async function measureClient({ events }) {
  const built = new URL('../dist/client/turnpike-client.js', import.meta.url);
  if (!existsSync(built)) throw new Error('Run `npm run build` first.');
  const { TurnpikeClient } = await import(built.href);
  const chunks = cut(writeTurn(events));
  const headers = { 'content-type': 'text/event-stream' };
  const fetchAll = async () => new Response(streamOf(chunks), { headers });
  const client = new TurnpikeClient({ url: 'http://bench.test', fetch: fetchAll });
  const byClient = async () => {
    let count = 0;
    for await (const event of client.follow(turnId)) if (event.data !== undefined) count += 1;
    return count;
  };
  const byParser = () => parseAll(chunks);
  await byClient();
  await byParser();
  const [own, raw] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await timePerEvent(byParser, events));
    own.push(await timePerEvent(byClient, events));
  }
  const [client50, parser50] = [median(own), median(raw)];
  const what = `client: an event of ${events.toLocaleString('en')}`;
  return [
    { what: `${what}, parser and JSON.parse`, value: parser50, unit: 'µs' },
    { what: `${what}, client`, value: client50, unit: 'µs' },
    { what: `${what}, client beside parser`, value: client50 - parser50, unit: 'µs', most: 5 },
  ];
}

/** @param {() => Promise<number>} read @param {number} events @returns {Promise<number>} µs. */
async function timePerEvent(read, events) {
  globalThis.gc?.();
  const startedAt = performance.now();
  const count = await read();
  if (count !== events) throw new Error(`${count} of ${events} events were read`);
  return ((performance.now() - startedAt) * 1_000) / events;
}

/** @param {Uint8Array[]} chunks */
async function parseAll(chunks) {
  let count = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (JSON.parse(data) !== undefined) count += 1;
    },
  });
  const decoder = new TextDecoder();
  const reader = streamOf(chunks).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return count;
    parser.feed(decoder.decode(value, { stream: true }));
  }
}

/** @param {number} events @returns {Uint8Array} a turn as the harness wire has it. */
function writeTurn(events) {
  const frames = Array.from({ length: events }, (_, index) => {
    const isLast = index === events - 1;
    const event = isLast ? 'process:exit' : 'chat:delta';
    const data = isLast ? { exitCode: 0 } : { text: `word number ${index}, `, step: 1 };
    return `event: ${event}\nid: ${turnId}:1.${index + 1}\ndata: ${JSON.stringify(data)}\n\n`;
  });
  return new TextEncoder().encode(frames.join(''));
}

/** @param {Uint8Array} bytes */
function cut(bytes) {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
}

/** @param {Uint8Array[]} chunks @returns {ReadableStream<Uint8Array>} */
function streamOf(chunks) {
  let next = 0;
  return new ReadableStream({
    pull: (controller) => {
      const chunk = chunks[next];
      next += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
