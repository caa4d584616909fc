import { commandName } from '../../platform/process/command-name.js';
import { accessSync, constants, createReadStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runOnData } from '../data/run-on-data.js';
import {
  jsonOption,
  subcommand,
  urlOption,
  UsageError,
  type Cli,
  type CliCommand,
} from '../command.js';
import { errorCode } from '../../platform/error-code.js';
import { plural } from '../terminal/screen.js';
import type { ImportReport, PrincipalReport } from '../../client/turnpike-client.js';
import { confirm } from '../terminal/terminal-input.js';

/** Characters that a line is known by; the lines of rows and files are longer. */
const MARK_CHARS = 200;

/** `turnpike export`: writes sessions as lines of JSON, to standard output or to a file. */
export function exportCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--session <ID>', 'one session; default: all')
    .option('--principal <NAME>', 'the sessions of a principal')
    .option('--output <FILE>', 'default: standard output')
    .addOption(urlOption)
    .action(({ session: sessionId, principal, output, url }) => {
      if (output !== undefined) checkFolder(output);
      return runOnData(cli, { url }, async (data) => {
        const progress = new ExportProgress();
        const lines = progress.watch(await data.export({ sessionId, principal }));
        await (output === undefined ? print(lines) : save(lines, output, progress));
        const where = output === undefined ? '' : ` to ${output}`;
        cli.err(`${progress.describe()} exported${where}.\n`);
        return 0;
      });
    });
}

/** Before anything is exported. @throws UsageError. */
function checkFolder(output: string): void {
  const folder = path.dirname(path.resolve(output));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `${output} cannot be written: ${folder} ${errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be written to (${errorCode(error)})`}.`,
    );
  }
}

async function print(lines: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(lines, process.stdout, { end: false });
}

/**
 * A file under its name is whole. It has what people said: others cannot read it. What came of an export that failed
 * stays beside it, where it has a session.
 */
async function save(
  lines: AsyncIterable<Uint8Array>,
  file: string,
  progress: ExportProgress,
): Promise<void> {
  const draft = `${file}.part`;
  try {
    await writeFile(draft, lines, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (progress.sessions === 0) {
      await rm(draft, { force: true });
      throw error;
    }
    throw new Error(
      `${reason}\n${draft} has ${plural(progress.sessions, 'whole session')} that came before; ${commandName()} import ${draft} stores them, and stops at the end.`,
      { cause: error },
    );
  }
}

/** Counts what an export has so far, and knows whether it is whole, which its last line says. */
class ExportProgress {
  sessions = 0;
  #memoryFiles = 0;
  #isWhole = false;
  #line = '';

  async *watch(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      this.#look(bytes.toString('latin1'));
      yield bytes;
    }
    if (!this.#isWhole) throw new Error('The export was cut off: its last line is missing.');
  }

  describe(): string {
    const files = this.#memoryFiles === 0 ? [] : [plural(this.#memoryFiles, 'memory file')];
    return [plural(this.sessions, 'session'), ...files].join(' and ');
  }

  #look(text: string): void {
    const [end = '', ...begun] = text.split('\n');
    this.#line += end.slice(0, MARK_CHARS - this.#line.length);
    for (const start of begun) {
      this.#count(this.#line);
      this.#line = start.slice(0, MARK_CHARS);
    }
  }

  #count(line: string): void {
    const [, type] = /^\{"type":"([\w.]+)"/.exec(line) ?? [];
    if (type === 'session.end') this.sessions += 1;
    if (type === 'memoryFile') this.#memoryFiles += 1;
    this.#isWhole = type === 'end';
  }
}

/** `turnpike import FILE`: stores the sessions of an export that are not there yet. `-` is standard input. */
export function importCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<FILE>', '- is standard input')
    .option(
      '--principal <NAME>',
      'the owner of all imported sessions; default: their owners in the file',
    )
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((file, { principal, json, url }) => {
      if (file !== '-') checkReadable(file);
      return runOnData(cli, { url, mayCreate: true }, async (data) => {
        const bytes = file === '-' ? process.stdin : createReadStream(file);
        const report = await data.import(bytes, { principal });
        cli.out(`${json ? JSON.stringify(report) : describeImport(report)}\n`);
        return 0;
      });
    });
}

/** Before a store is opened, or made, for it. @throws UsageError. */
function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorCode(error) ?? String(error)}`);
  }
}

function describeImport(report: ImportReport): string {
  const { imported, skipped, interruptedTurns, importedMemoryFiles, skippedMemoryFiles } = report;
  return [
    `${plural(imported, 'session')} imported`,
    ...(skipped === 0 ? [] : [`${plural(skipped, 'session')} skipped (already there)`]),
    ...(interruptedTurns === 0
      ? []
      : [`${plural(interruptedTurns, 'turn')} marked as interrupted (not ended in the export)`]),
    ...(importedMemoryFiles === 0
      ? []
      : [`${plural(importedMemoryFiles, 'memory file')} imported`]),
    ...(skippedMemoryFiles === 0
      ? []
      : [`${plural(skippedMemoryFiles, 'memory file')} skipped (path taken)`]),
  ].join(', ');
}

/**
 * `turnpike forget PRINCIPAL`: deletes all that is stored of a principal, after a question at the terminal. Exit code:
 * 1 when the answer was no.
 */
export function forgetCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<PRINCIPAL>')
    .option('--dry-run', 'count what would be deleted, and delete nothing')
    .option('--projects', "delete the principal's project folder too")
    .option('--yes', 'do not ask')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((principal, { dryRun = false, projects = false, yes = false, json, url }) => {
      const canAsk = process.stdin.isTTY && process.stderr.isTTY;
      const show = (report: PrincipalReport, verb: string): void => {
        const text = json
          ? JSON.stringify(report)
          : describeStored(principal, report, { verb, projects });
        cli.out(`${text}\n`);
      };
      return runOnData(cli, { url }, async (data) => {
        if (dryRun || !yes) {
          const stored = await data.count(principal);
          show(stored, 'Stored');
          if (dryRun || isNothing(stored, projects)) return 0;
          if (!canAsk) {
            throw new UsageError(
              `This deletes all that is stored of ${principal}, and cannot be undone: call it with --yes, or with --dry-run to see what there is`,
            );
          }
          if (!(await confirm('Delete all of it? It cannot be undone. [y/N] '))) return 1;
        }
        show(await data.forget(principal, { projects }), 'Deleted');
        return 0;
      });
    });
}

/** `turnpike access end PRINCIPAL`: ends what vouches for a principal. What is stored of it stays. */
export function accessCommand(command: CliCommand, cli: Cli): void {
  subcommand(
    command,
    'end <PRINCIPAL>',
    'refuse the tokens issued so far, revoke the keys, end grants of schedules and open streams',
  ).action((principal, { json, url }) =>
    runOnData(cli, { url }, async (data) => {
      const ended = await data.endAccess(principal);
      const { endedAt, keys, grants, logins, mcpLogins, streams } = ended;
      const what = `Revoked: ${plural(keys.length, 'key')}. Ended: ${plural(grants.length, 'grant')}, ${plural(logins, 'log-in')}, ${plural(mcpLogins, 'log-in')} at MCP servers, ${plural(streams, 'stream')}.`;
      const text = `The access of ${principal} ended at ${endedAt}. ${what} Servers that run know it within a second; credentials made from now on are taken.`;
      cli.out(`${json === true ? JSON.stringify(ended) : text}\n`);
      return 0;
    }),
  );
}

function describeStored(
  principal: string,
  report: PrincipalReport,
  { verb, projects }: { verb: string; projects: boolean },
): string {
  const { projectFolder, ...counts } = report;
  if (isNothing(report, projects)) {
    return `Nothing is stored of ${JSON.stringify(principal)}; the name of a principal is letter for letter.`;
  }
  const lines = Object.entries(counts).map(([what, count]) => `  ${words(what)}: ${count}`);
  const folder = projects ? [`  project folder: ${projectFolder}`] : [];
  return [`${verb} of ${principal}:`, ...lines, ...folder].join('\n');
}

/** Whether nothing is stored. A project folder is looked for where it is to be deleted. */
function isNothing(report: PrincipalReport, projects: boolean): boolean {
  const counts = Object.values(report).filter((one) => typeof one === 'number');
  return !projects && counts.every((count) => count === 0);
}

/** `fileBytes` → `file bytes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
