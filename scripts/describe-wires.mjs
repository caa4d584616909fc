/** What each wire makes of the recorded turns of `test/golden`, for its page. The tests of the dialects keep them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const golden = fileURLToPath(new URL('../test/golden', import.meta.url));

/** Wires by the names of their pages → the folder of their frames. */
const folders = {
  harness: 'harness',
  oracle: 'oracle',
  named_agents: 'holodeck',
  ag_ui: 'ag-ui',
  ai_sdk: 'ai-sdk',
  ai_sdk_7: 'ai-sdk-7',
  responses: 'responses',
};

/**
 * The generated parts of the wires' pages, by name: what a wire makes of each event.
 *
 * @param {readonly string[]} vocabulary types of events, in order.
 * @returns {Record<string, () => string>}
 */
export function describeWires(vocabulary) {
  const parts = Object.entries(folders).map(([wire, folder]) => [
    `frames_of_${wire}`,
    () => describeFrames(folder, vocabulary),
  ]);
  return Object.fromEntries(parts);
}

/** @param {string} folder @param {readonly string[]} vocabulary */
function describeFrames(folder, vocabulary) {
  const made = new Map();
  for (const file of readdirSync(path.join(golden, 'events'))) {
    const turn = file.replace('.json', '');
    const text = readFileSync(path.join(golden, 'events', file), 'utf8');
    const events = new Map(JSON.parse(text).map((one) => [`${one.attempt}.${one.seq}`, one.type]));
    for (const type of events.values()) if (!made.has(type)) made.set(type, new Set());
    for (const { name, cursor } of namesOf(framesOf(folder, turn))) {
      made.get(events.get(cursor)).add(name);
    }
  }
  const unrecorded = vocabulary.filter((type) => !made.has(type));
  if (unrecorded.length > 0) throw new Error(`test/golden has no turn with ${listed(unrecorded)}`);
  const silent = vocabulary.filter((type) => made.get(type).size === 0);
  const rows = vocabulary
    .filter((type) => !silent.includes(type))
    .map((type) => `| \`${type}\` | ${listed(made.get(type))} |`);
  return [
    ['| event | frames |', '| --- | --- |', ...rows].join('\n'),
    ...(silent.length === 0 ? [] : [`Without a frame: ${listed(silent)}.`]),
  ].join('\n\n');
}

/** @param {Iterable<string>} names */
function listed(names) {
  return Array.from(names, (name) => `\`${name}\``).join(', ');
}

/** @param {string} folder @param {string} turn */
function framesOf(folder, turn) {
  return readFileSync(path.join(golden, folder, `${turn}.txt`), 'utf8');
}

/**
 * The names of frames, each with the event that made it: its own, or the type in its data. A relayed frame of a
 * subagent has the name of the frame, and so goes by its prefix.
 *
 * @param {string} text
 */
function namesOf(text) {
  const frames = text.matchAll(/^(?:event: (.*)\n)?id: [\w;]+:(\d+\.\d+).*\ndata: (.*)$/gm);
  return Array.from(frames, ([, event, cursor, data]) => ({
    name: event === undefined ? typeOf(data) : event.replace(/^(subagent:).*:.*/, '$1…'),
    cursor,
  }));
}

/** @param {string} data */
function typeOf(data) {
  if (data === '[DONE]') return data;
  const { type, name } = JSON.parse(data);
  return type === 'CUSTOM' ? `${type} ${name}` : type;
}
