import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { watch, type FSWatcher } from 'node:fs';
import { parseConfig } from '../../config/config.js';
import { compact } from '../../platform/compact.js';
import { faultsMessage, type SourceFault } from '../../tools/extensions/source-faults.js';
import { endOfNpm } from '../../platform/process/end-of-npm.js';
import type { Cli, CliCommand } from '../command.js';
import type { CheckedSources } from '../server/check-sources.js';
import { showFault } from './check-command.js';

/** The pause after a change, in ms: editors write a file in several steps. */
const SETTLE_MS = 150;

/** The time for running turns at a restart, in ms: what is left of them goes on from its rows. */
const DRAIN_MS = '500';

/** Files that a server reads again by itself: agents, skills and what they refer to. */
const READ_AGAIN = /\.md$/i;
/** The names of sources: editors make files beside them for a moment, with other names. */
const SOURCE = /^[^.#].*\.(?:md|ya?ml|json|[cm]?[jt]sx?)$/i;

/**
 * `turnpike dev`: serves, and starts a new process when a module changes, of a tool or of an agent. Modules cannot be
 * loaded anew in the same process without leaking the old ones. A change with a fault starts nothing: the process with
 * the version before it runs on, and is told of the fault.
 */
export function devCommand(command: CliCommand, cli: Cli): void {
  command.option('--port <N>', 'port to listen on (TURNPIKE_PORT)').action(async ({ port }) => {
    const asked = compact({ TURNPIKE_PORT: port });
    const environment = { TURNPIKE_DRAIN_MS: DRAIN_MS, ...compact(cli.environment), ...asked };
    // A wrong variable is reported before anything is watched.
    const { toolsDir, instructionRoot } = parseConfig(environment);
    const folders = [toolsDir, instructionRoot].filter((folder) => folder !== undefined);
    cli.err(`Turnpike looks for changes in ${folders.join(' and ')}\n`);
    await serveAndWatch(cli, folders, environment);
  });
}

async function serveAndWatch(
  cli: Cli,
  folders: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  let child = start(environment);
  let restarting: Promise<void> = Promise.resolve();
  let settling: NodeJS.Timeout | undefined;
  const changed = new Set<string>();
  // A module's change waits for a correction, and what corrects it may be another file.
  let isBehind = false;
  const takeChanges = async (): Promise<void> => {
    const files = [...changed];
    changed.clear();
    const [file] = files;
    if (file === undefined) return;
    cli.err(`${files.join(', ')} changed\n`);
    const faults = await findFaults(environment, file);
    const isReadAgain = files.every((one) => READ_AGAIN.test(one));
    isBehind ||= !isReadAgain;
    if (faults.length > 0) return refuse(faults);
    if (!isBehind && isRunning(child)) {
      await tell([]);
      return cli.err('Turns have it from now on.\n');
    }
    await stop(child);
    child = start(environment);
    isBehind = false;
  };
  // The server hears first: whoever reads the line finds the same in the console.
  const tell = async (faults: readonly SourceFault[]): Promise<void> => {
    if (!child.connected) return;
    const heard = Promise.race([once(child, 'message'), once(child, 'exit')]);
    child.send(faultsMessage(faults));
    await heard;
  };
  const refuse = async (faults: readonly SourceFault[]): Promise<void> => {
    await tell(faults);
    for (const fault of faults) cli.err(`${showFault(fault)}\n`);
    cli.err(
      isRunning(child)
        ? 'The version before it keeps running.\n'
        : 'The server starts when this is corrected.\n',
    );
  };
  const watchers = folders.map((folder) =>
    watchSources(folder, (file) => {
      clearTimeout(settling);
      changed.add(file);
      settling = setTimeout(() => {
        restarting = restarting.then(takeChanges);
      }, SETTLE_MS);
    }),
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), endOfNpm(process.env)]);
  clearTimeout(settling);
  for (const watcher of watchers) watcher.close();
  await restarting;
  await stop(child);
}

/** @param onChange called with a source that has changed, or with the folder where the system does not say which. */
function watchSources(folder: string, onChange: (file: string) => void): FSWatcher {
  return watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || SOURCE.test(path.basename(file))) onChange(file ?? folder);
  });
}

/** Checks what has changed in a process of its own, as `turnpike check`. */
function findFaults(environment: NodeJS.ProcessEnv, changed: string): Promise<SourceFault[]> {
  return new Promise((resolve) => {
    execFile(...command('check', '--json'), { env: environment }, (error, stdout, stderr) => {
      try {
        resolve((JSON.parse(stdout) as CheckedSources).faults);
      } catch {
        // A module may end the process that loads it.
        const said = stderr.trim().split('\n').slice(-5).join('\n') || String(error?.message);
        resolve([{ file: changed, message: said }]);
      }
    });
  });
}

function start(environment: NodeJS.ProcessEnv): ChildProcess {
  return spawn(...command('serve', '--watched'), {
    env: environment,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

/** This program with another command. */
function command(...args: string[]): [program: string, args: string[]] {
  const [program = ''] = process.argv.slice(1);
  return [process.execPath, [...process.execArgv, program, ...args]];
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Stops a process; one that failed to start has ended already. */
async function stop(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
