import { accessSync, constants, createReadStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { StoredData } from '../../app/open-stored-data.js';
import { runOnData } from '../data/run-on-data.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { errorCode } from '../../platform/error-code.js';
import { plural } from '../terminal/screen.js';
import type { ImportReport, PrincipalReport } from '../../client/turnpike-client.js';
import { confirm } from '../terminal/terminal-input.js';

const exportOptions = {
  session: { type: 'string' },
  principal: { type: 'string' },
  output: { type: 'string' },
  ...serverOptions,
} as const;

/** Characters that a line is known by; the lines of rows and files are longer. */
const MARK_CHARS = 200;

/**
 * `turnpike export`: writes sessions as lines of JSON, to standard output or to a file.
 *
 * @returns the exit code: 0; 1 when it failed; 2 for a wrong call.
 */
export function exportCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values } = parseCall(args, { options: exportOptions });
    const { session: sessionId, principal, output, url } = values;
    if (output !== undefined) checkFolder(output);
    const run = async (data: StoredData): Promise<number> => {
      const progress = new ExportProgress();
      const lines = progress.watch(await data.export({ sessionId, principal }));
      await (output === undefined ? print(lines) : save(lines, output, progress));
      const where = output === undefined ? '' : ` to ${output}`;
      process.stderr.write(`${progress.describe()} exported${where}.\n`);
      return 0;
    };
    return { url, run };
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
      `${reason}\n${draft} has ${plural(progress.sessions, 'whole session')} that came before; turnpike import ${draft} stores them, and stops at the end.`,
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

const importOptions = {
  principal: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/**
 * `turnpike import FILE`: stores the sessions of an export that are not there yet. `-` is standard input.
 *
 * @returns the exit code: 0; 1 when it failed; 2 for a wrong call.
 */
export function importCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values, positionals } = parseCall(args, {
      options: importOptions,
      allowPositionals: true,
    });
    const { principal, json, url } = values;
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError('turnpike import FILE');
    if (file !== '-') checkReadable(file);
    const run = async (data: StoredData): Promise<number> => {
      const bytes = file === '-' ? process.stdin : createReadStream(file);
      const report = await data.import(bytes, { principal });
      process.stdout.write(`${json ? JSON.stringify(report) : describeImport(report)}\n`);
      return 0;
    };
    return { url, mayCreate: true, run };
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
    ...(skipped === 0 ? [] : [`${plural(skipped, 'session')} skipped, which were there already`]),
    ...(interruptedTurns === 0
      ? []
      : [`${plural(interruptedTurns, 'turn')} marked as interrupted, as they had not ended`]),
    ...(importedMemoryFiles === 0
      ? []
      : [`${plural(importedMemoryFiles, 'memory file')} imported`]),
    ...(skippedMemoryFiles === 0
      ? []
      : [`${plural(skippedMemoryFiles, 'memory file')} skipped, whose path is taken`]),
  ].join(', ');
}

const forgetOptions = {
  'dry-run': { type: 'boolean', default: false },
  projects: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/**
 * `turnpike forget PRINCIPAL`: deletes all that is stored of a principal, after a question at the terminal.
 *
 * @returns the exit code: 0; 1 when it failed or the answer was no; 2 for a wrong call.
 */
export function forgetCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnData(environment, () => {
    const { values, positionals } = parseCall(args, {
      options: forgetOptions,
      allowPositionals: true,
    });
    const { 'dry-run': isDry, projects, yes, json, url } = values;
    const [principal, ...more] = positionals;
    if (principal === undefined || more.length > 0) {
      throw new UsageError('turnpike forget PRINCIPAL; --dry-run shows what there is');
    }
    const canAsk = process.stdin.isTTY && process.stderr.isTTY;
    if (!isDry && !yes && !canAsk) {
      throw new UsageError(
        `This deletes all that is stored of ${principal}, and cannot be undone: call it with --yes, or with --dry-run to see what there is`,
      );
    }
    const print = (report: PrincipalReport, verb: string): void => {
      const text = json
        ? JSON.stringify(report)
        : describeStored(principal, report, { verb, projects });
      process.stdout.write(`${text}\n`);
    };
    const run = async (data: StoredData): Promise<number> => {
      if (isDry || !yes) {
        const report = await data.count(principal);
        print(report, 'Stored');
        if (isDry) return 0;
        if (!(await confirm('Delete all of it? It cannot be undone. [y/N] '))) return 1;
      }
      print(await data.forget(principal, { projects }), 'Deleted');
      return 0;
    };
    return { url, run };
  });
}

function describeStored(
  principal: string,
  report: PrincipalReport,
  { verb, projects }: { verb: string; projects: boolean },
): string {
  const { projectFolder, ...counts } = report;
  const lines = Object.entries(counts).map(([what, count]) => `  ${words(what)}: ${count}`);
  const folder = projects ? [`  project folder: ${projectFolder}`] : [];
  return [`${verb} of ${principal}:`, ...lines, ...folder].join('\n');
}

/** `fileBytes` → `file bytes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
