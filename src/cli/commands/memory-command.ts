import type { ListedMemoryFile, TurnpikeClient } from '../../client/turnpike-client.js';
import { confirm } from '../terminal/terminal-input.js';
import { minute, oneLine, plainText } from '../terminal/screen.js';
import { clientOf } from '../server/find-server.js';
import { listPages, runOnServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';

const options = {
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

const calls = 'turnpike memory list [AGENT], show AGENT PATH, or delete AGENT [PATH]';

/**
 * `turnpike memory`: lists, shows and deletes what agents keep for the caller. Never starts a server: a new one
 * would keep nothing.
 *
 * @returns the exit code: 0; 1 when the server refused, none runs, or nothing was to be deleted after all; 2 for a
 *   wrong call.
 */
export function memoryCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnServer(environment, () => {
    const { values, positionals } = parse(args);
    return { url: values.url, run: (server) => act(clientOf(server), values, positionals) };
  });
}

async function act(
  { memory }: TurnpikeClient,
  { json, yes }: { json: boolean; yes: boolean },
  [action, agent, path]: readonly string[],
): Promise<number> {
  if (action === 'list') {
    const found = agent === undefined ? await memory.list() : await listFiles(memory, agent);
    for (const one of found) print(json ? JSON.stringify(one) : describe(one));
    if (found.length === 0 && !json) process.stderr.write('There are none.\n');
    return 0;
  }
  if (agent === undefined) throw new UsageError(calls);
  if (action === 'show' && path !== undefined) {
    const file = await memory.get(agent, path);
    print(json ? JSON.stringify(file) : plainText(file.content));
    return 0;
  }
  if (action !== 'delete') throw new UsageError(calls);
  const what = path === undefined ? `all that ${agent} keeps` : path;
  if (!yes && !(await confirm(`Delete ${what}? It cannot be undone. [y/N] `))) return 1;
  const deletedFiles = await memory.delete(agent, path);
  print(json ? JSON.stringify({ deletedFiles }) : `${deletedFiles} deleted.`);
  return 0;
}

/** @throws UsageError. */
function parse(args: readonly string[]) {
  const parsed = parseCall(args, { options, allowPositionals: true });
  const [action = '', ...more] = parsed.positionals;
  const most = action === 'list' ? 1 : 2;
  if (['list', 'show', 'delete'].includes(action) && more.length <= most) return parsed;
  throw new UsageError(calls);
}

function listFiles(memory: TurnpikeClient['memory'], agent: string): Promise<ListedMemoryFile[]> {
  return listPages(Infinity, async (page) => {
    const { files: listed, ...more } = await memory.files(agent, page);
    return { listed, ...more };
  });
}

/** A line of `turnpike memory list`. Times are UTC. */
function describe(
  one: ListedMemoryFile | { agent: string; files: number; bytes: number; updatedAt: string },
): string {
  const at = minute(one.updatedAt);
  if ('agent' in one)
    return `${oneLine(one.agent, 200)}  ${one.files} files  ${one.bytes} bytes  ${at}`;
  return `${oneLine(one.path, 600)}  ${one.bytes} bytes  ${at}  ${one.turnId ?? 'by its owner'}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
