import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compact } from '../../platform/compact.js';
import { errorCode } from '../../platform/error-code.js';
import { nearestName } from '../../platform/parsing/nearest-name.js';

/** Where in a file a fault is. `line` and `column` count from 1. */
export interface SourcePlace {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** Why a module cannot be loaded. */
export interface LoadFault {
  /** A clause without a full stop, with the command that helps where there is one. */
  fault: string;
  /** Absent: no file of the operator is known to be at fault. */
  place?: SourcePlace;
}

/**
 * Explains why Node cannot load a module of the operator.
 *
 * @param file the module's file; undefined for a package. @param loaded files that were loaded for it, the newest first:
 *   Node does not say in which file of JavaScript a syntax error is.
 */
export function explainLoadFailure(
  file: string | undefined,
  error: unknown,
  loaded: readonly string[] = [],
): LoadFault {
  if (file !== undefined && !existsSync(file)) return { fault: `there is no file ${file}` };
  const code = errorCode(error);
  const message = messageOf(error);
  if (file === undefined) return { fault: `it cannot be loaded: ${message}` };
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    const missing = explainMissing(message);
    if (missing !== undefined) return missing;
  }
  const own = new Set([file, realpathSync(file), ...loaded]);
  const at = stackPlace(error, own);
  const place = at ?? { file };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const fault = `Node runs TypeScript with types alone (${message}): write it without enums, namespaces and parameter properties, or compile it to JavaScript`;
    return { fault, place };
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    const fault = `Node ${process.versions.node} does not run TypeScript, Node 22.18 and later do: update Node, or compile the file to JavaScript`;
    return { fault, place };
  }
  if (!(error instanceof SyntaxError)) return { fault: `it cannot be loaded: ${message}`, place };
  const found = at ?? findSyntaxError([...loaded, file]) ?? place;
  return { fault: `it has a syntax error: ${message}`, place: found };
}

/** A place as editors and terminals open it: `/x/tools/a.ts:3:15`. */
export function showPlace({ file, line, column }: SourcePlace): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** The name by which tools and agents import what they are made of. */
const OWN = 'turnpike';

/** A package or a file that a module imports, and that is not there. */
function explainMissing(message: string): LoadFault | undefined {
  const [, name, importer] =
    /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/.exec(message) ??
    // Of `require` in CommonJS.
    /^Cannot find module '([^']+)'\nRequire stack:\n- (.+)/.exec(message) ??
    [];
  if (name === undefined || importer === undefined) return undefined;
  const from = importer.startsWith('file:') ? fileURLToPath(importer) : importer;
  if (path.isAbsolute(name) || name.startsWith('.')) {
    const target = path.resolve(path.dirname(from), name);
    const fault = `it imports ${showTarget(from, target)}, and there is no such file${hint(from, target)}`;
    return { fault, place: importPlace(from, (specifier) => leadsTo(from, specifier, target)) };
  }
  // A name that is nearly ours may be a stranger's package: it is not to be installed.
  const remedy =
    nearestName(name, [OWN]) === OWN
      ? `; did you mean ${OWN}?`
      : `. Run \`npm install ${name}\` in ${packageFolder(from)}`;
  const fault = `it imports the package ${name}, which is not installed${remedy}`;
  return { fault, place: importPlace(from, (one) => one === name || one.startsWith(`${name}/`)) };
}

/** The folder in which `npm install` puts a package where the module finds it. */
function packageFolder(importer: string): string {
  const folder = path.dirname(importer);
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, 'package.json'))) return at;
    if (at === path.dirname(at)) return path.dirname(folder);
  }
}

function showTarget(from: string, target: string): string {
  const relative = path.relative(path.dirname(from), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** A compiler takes `./a.js` for a file `a.ts`; Node takes names as they are. */
function hint(from: string, target: string): string {
  const better = ['.ts', '.mts', '.js', '.mjs']
    .map((extension) => target.replace(/\.[cm]?js$/, '') + extension)
    .find((one) => existsSync(one));
  return better === undefined ? '' : `; name the file as it is: ${showTarget(from, better)}`;
}

function leadsTo(from: string, specifier: string, target: string): boolean {
  if (!specifier.startsWith('.') && !path.isAbsolute(specifier)) return false;
  return path.resolve(path.dirname(from), specifier) === target;
}

/** The first text in a file that is the name of what is missing. */
function importPlace(file: string, isIt: (specifier: string) => boolean): SourcePlace {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const [index, text] of lines.entries()) {
    for (const { 2: specifier = '', index: at } of text.matchAll(/(['"])([^'"]+)\1/g)) {
      if (isIt(specifier)) return { file, line: index + 1, column: at + 1 };
    }
  }
  return { file };
}

/** The place that a stack begins with, or its first line in one of the files. */
function stackPlace(error: unknown, files: ReadonlySet<string>): SourcePlace | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, shown, line] = /^((?:file:|\/|[A-Za-z]:\\).*):(\d+)\n/.exec(stack) ?? [];
  if (shown !== undefined) {
    return { file: toPath(shown), line: Number(line), ...compact({ column: caretColumn(stack) }) };
  }
  const frame = /^ +at (?:.*\()?((?:file:|\/|[A-Za-z]:\\)[^()]*):(\d+):(\d+)\)?$/gm;
  for (const { 1: file = '', 2: atLine, 3: atColumn } of stack.matchAll(frame)) {
    if (!files.has(toPath(file))) continue;
    return { file: toPath(file), line: Number(atLine), column: Number(atColumn) };
  }
  return undefined;
}

function toPath(shown: string): string {
  return shown.startsWith('file:') ? fileURLToPath(shown) : shown;
}

/** Has Node check files of JavaScript, one by one: the error of an import has no line. */
function findSyntaxError(files: readonly string[]): SourcePlace | undefined {
  for (const file of new Set(files)) {
    if (!/\.m?js$/.test(file)) continue;
    const checked = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
      input: readFileSync(file),
      encoding: 'utf8',
      env: {},
    });
    const [, line] = /^\[stdin\]:(\d+)$/m.exec(checked.stderr) ?? [];
    if (line === undefined) continue;
    return { file, line: Number(line), ...compact({ column: caretColumn(checked.stderr) }) };
  }
  return undefined;
}

/** The column, from 1, that Node points at in a line below the source. */
function caretColumn(text: string): number | undefined {
  const carets = /^( *)\^+$/m.exec(text);
  return carets === null ? undefined : (carets[1] ?? '').length + 1;
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The message becomes a clause of a longer sentence.
  return message.trim().replace(/\.$/, '');
}

/** What `import` takes for a module: the URL of a file, or the name of a package. */
export function toSpecifier(name: string): string {
  const file = toFile(name);
  return file === undefined ? name : pathToFileURL(file).href;
}

/** The path of a module that is a file; undefined for a package or a URL. */
export function toFile(name: string): string | undefined {
  const isFile = path.isAbsolute(name) || /^\.{1,2}[\\/]/.test(name);
  return isFile ? path.resolve(name) : undefined;
}
