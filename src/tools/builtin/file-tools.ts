import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fsErrorMessage } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { errorCode } from '../../platform/error-code.js';
import {
  closing,
  FolderHandle,
  openFile,
  readBytes,
  openExisting,
  replaceFile,
  type ExistingFile,
} from '../../platform/files/folder-handle.js';
import type { JsonObject } from '../../platform/json.js';
import { editText } from '../../platform/text/edit-lines.js';
import { ToolFailure, type ToolContext, type ToolDefinition } from '../tool.js';
import { keepForm, readText, toBytes, type FileText } from './file-text.js';
import { locatePath, type LocatedPath } from './find-paths.js';
import { describeAlikes, locateExisting, nameInstead } from './look-alikes.js';

/** Bytes of a file that are read whole, and of the lines that are shown of a larger one. */
const MAX_BYTES = 256 * 1024;
/** Permission bits of which a file that may be written has one: root could write the others too. */
const WRITE_BITS = 0o222;

const file_path = { type: 'string', minLength: 1 };
const permissionArgument = { name: 'file_path', kind: 'path' } as const;

/** Shows a file of text. What is no text is named, never shown as text. */
export const readTool: ToolDefinition = {
  name: 'read',
  description: 'Read a UTF-8 text file relative to the workdir.',
  inputSchema: {
    type: 'object',
    properties: {
      file_path,
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description: '[start_line, end_line] 1-indexed inclusive',
      },
    },
    required: ['file_path'],
  },
  effect: 'read',
  retry: 'safe',
  permissionArgument,
  open: (context) => ({
    run: async (input) => {
      const filePath = textOf(input, 'file_path', 'read');
      const range = rangeOf(input['view_range']);
      const found = await locateExisting(readTool, filePath, context);
      const text = await naming('read', filePath, () => read(found, filePath, range));
      return nameInstead(found, text);
    },
  }),
};

export const writeTool: ToolDefinition = {
  name: 'write',
  description:
    'Write a UTF-8 text file relative to the workdir, creating parent directories as needed. A file that has CRLF line ends or a byte order mark keeps them.',
  inputSchema: {
    type: 'object',
    properties: { file_path, content: { type: 'string' } },
    required: ['file_path', 'content'],
  },
  effect: 'edit',
  retry: 'never',
  permissionArgument,
  open: (context) => ({
    run: async (input) => {
      const filePath = textOf(input, 'file_path', 'write');
      const content = textOf(input, 'content', 'write');
      return change('write', filePath, context, async (folder, name, existing) => {
        const before = existing && (await textToReplace('write', filePath, existing));
        const text = before === undefined ? content : keepForm(content, before);
        const bytes = toBytes(text, false);
        await context.quota?.reserve('write', growthOf(bytes, existing));
        await replaceFile(folder, name, bytes, existing);
        const kept = text === content ? '' : ' (its line ends and byte order mark are kept)';
        return `wrote ${bytes.length} bytes to ${filePath}${kept}`;
      });
    },
  }),
};

export const editTool: ToolDefinition = {
  name: 'edit',
  description:
    'Replace old_string with new_string in a file. old_string must be unique unless replace_all. Lines match whether they end with LF or CRLF, and the file keeps its line ends.',
  inputSchema: {
    type: 'object',
    properties: {
      file_path,
      old_string: { type: 'string', minLength: 1 },
      new_string: { type: 'string' },
      replace_all: { type: 'boolean' },
    },
    required: ['file_path', 'old_string', 'new_string'],
  },
  effect: 'edit',
  retry: 'never',
  permissionArgument,
  open: (context) => ({
    run: async (input) => {
      const filePath = textOf(input, 'file_path', 'edit');
      const old = textOf(input, 'old_string', 'edit');
      const replacement = textOf(input, 'new_string', 'edit');
      const all = input['replace_all'] === true;
      const notThere = new ToolFailure(`edit: ${filePath}: no such file or directory`);
      const changing = change('edit', filePath, context, async (folder, name, existing) => {
        if (existing === undefined) throw notThere;
        const before = await textToReplace('edit', filePath, existing);
        const { text, starts } = editText(before.text, { old, replacement, all });
        const count = starts.length;
        if (count === 0) throw new ToolFailure(`edit: old_string not found in ${filePath}`);
        if (count > 1 && !all) {
          throw new ToolFailure(
            `edit: old_string appears ${count} times in ${filePath} (must be unique)`,
          );
        }
        const bytes = toBytes(text, before.hasBom);
        await context.quota?.reserve('edit', growthOf(bytes, existing));
        await replaceFile(folder, name, bytes, existing);
        return `edited ${filePath} (${count} replacement(s))`;
      });
      return changing.catch(async (error: unknown) => {
        const isGone =
          error === notThere ||
          (error instanceof ToolFailure && errorCode(error.cause) === 'ENOENT');
        if (!isGone) throw error;
        const near = await describeAlikes(editTool, filePath, context);
        throw new ToolFailure(`${notThere.message}${near}`, { cause: error });
      });
    },
  }),
};

function textOf(input: JsonObject, name: string, tool: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new ToolFailure(`${tool}: ${name} is required`);
  // Half of a surrogate pair has no bytes: another text would be written.
  if (!value.isWellFormed()) {
    throw new ToolFailure(`${tool}: ${name} has half of a surrogate pair, which no file can have`);
  }
  return value;
}

function rangeOf(range: unknown): [from: number, to: number] | undefined {
  if (!Array.isArray(range) || range.length === 0) return undefined;
  const [from, to] = range.map(Number);
  if (range.length !== 2 || from === undefined || to === undefined) {
    throw new ToolFailure('read: view_range must be [start_line, end_line]');
  }
  return [Math.max(1, from), to > 0 ? to : Infinity];
}

/** @throws ToolFailure for an error of the system, with the path as it was given. */
async function naming<T>(tool: string, filePath: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const message =
      code === 'ELOOP'
        ? `${filePath}: was exchanged for a link meanwhile; try again`
        : fsErrorMessage(error, filePath);
    throw new ToolFailure(`${tool}: ${message}`, { cause: error });
  }
}

async function read(
  { path: real }: LocatedPath,
  filePath: string,
  range: [from: number, to: number] | undefined,
): Promise<string> {
  const handle = await openFile(real);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ToolFailure(`read: ${filePath} is not a regular file`);
    if (stats.size <= MAX_BYTES) {
      const text = show(await readText(await readBytes(handle, stats.size)), filePath, stats.size);
      if (range === undefined) return text;
      return text
        .split('\n')
        .slice(range[0] - 1, range[1])
        .join('\n');
    }
    if (range === undefined) {
      throw new ToolFailure(
        `read: ${filePath} is ${stats.size} bytes, exceeds ${MAX_BYTES}-byte limit. Use the view_range parameter to read specific line ranges, e.g. view_range: [1, 500].`,
      );
    }
    const lines = await readLines(handle, range);
    if (lines !== undefined) return show(await readText(lines), filePath, stats.size);
    const [from, to] = range;
    throw new ToolFailure(
      from === to
        ? `read: line ${from} of ${filePath} alone exceeds ${MAX_BYTES}-byte limit; view_range cannot narrow this further`
        : `read: view_range [${from}, ${to}] of ${filePath} exceeds ${MAX_BYTES}-byte limit. Narrow the view_range to read a smaller portion.`,
    );
  } finally {
    await handle.close();
  }
}

/** The text of a file for the model. @throws ToolFailure for what is no text. */
function show(found: FileText, filePath: string, size: number): string {
  if ('kind' in found) throw new ToolFailure(`read: ${describeOther(filePath, found, size)}`);
  if (!('encoding' in found)) return found.text;
  return `[${filePath} is ${found.encoding} text, shown here as UTF-8; edit and write do not change it]\n${found.text}`;
}

function describeOther(
  filePath: string,
  { kind, isBinary }: Extract<FileText, { kind: string }>,
  size: number,
): string {
  const what = `${filePath} is ${kind}, ${size} bytes, and no UTF-8 text`;
  return isBinary
    ? `${what}. To see it, have the user attach it to a message, or run a program that reads it with bash.`
    : `${what}. To see it, convert it with bash from the encoding it is in (Windows-1252, Shift_JIS or another): iconv -f WINDOWS-1252 -t UTF-8 FILE`;
}

/**
 * The text of a file that is about to be changed.
 *
 * @throws ToolFailure for what would not be written as it was: another encoding, binary content, a read-only file.
 */
async function textToReplace(
  tool: string,
  filePath: string,
  { handle, stats }: ExistingFile,
): Promise<{ text: string; hasBom: boolean }> {
  if (!stats.isFile()) throw new ToolFailure(`${tool}: ${filePath} is not a regular file`);
  if ((stats.mode & WRITE_BITS) === 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    throw new ToolFailure(
      `${tool}: ${filePath} is read-only (mode ${mode}); nothing was changed. If it may be changed, make it writable first (chmod u+w).`,
    );
  }
  if (stats.size > MAX_BYTES && tool === 'edit') {
    throw new ToolFailure(
      `edit: ${filePath} is ${stats.size} bytes, exceeds ${MAX_BYTES}-byte limit. The edit tool loads the whole file and cannot modify a file this large.`,
    );
  }
  const start = await readBytes(handle, Math.min(stats.size, MAX_BYTES));
  const found = await readText(start, stats.size > MAX_BYTES);
  if ('hasBom' in found) return found;
  const kind = 'kind' in found ? found.kind : `${found.encoding} text`;
  throw new ToolFailure(
    `${tool}: ${filePath} is ${kind}, and no UTF-8 text; nothing was changed, as it would be written as UTF-8. Change it with a program that keeps its form, or write another file.`,
  );
}

const growthOf = (bytes: Uint8Array, existing: ExistingFile | undefined): number =>
  bytes.length - (existing?.stats.size ?? 0);

/** The bytes of some lines of a large file; undefined where they are too many. */
async function readLines(
  handle: FileHandle,
  [from, to]: [from: number, to: number],
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let [line, size] = [1, 0];
  for await (const chunk of handle.createReadStream({
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    for (let start = 0; start < chunk.length && line <= to;) {
      const feed = chunk.indexOf('\n', start);
      const end = feed < 0 ? chunk.length : feed + 1;
      if (line >= from) {
        parts.push(chunk.subarray(start, end));
        size += end - start;
        if (size > MAX_BYTES) return undefined;
      }
      if (feed >= 0) line += 1;
      start = end;
    }
    if (line > to) break;
  }
  const lines = Buffer.concat(parts);
  // The last line is shown without its end, as the lines of a small file are.
  return lines.at(-1) === 0x0a && line > to ? lines.subarray(0, -1) : lines;
}

/**
 * Runs a change of a file in its folder, which is made where it is missing. The folder is held open from the project
 * root on: the change is made there, or nowhere.
 */
async function change(
  tool: 'write' | 'edit',
  filePath: string,
  context: ToolContext,
  work: (folder: FolderHandle, name: string, existing?: ExistingFile) => Promise<string>,
): Promise<string> {
  const definition = tool === 'write' ? writeTool : editTool;
  const found = await locatePath(definition, filePath, context);
  if (found.path === found.base) throw new ToolFailure(`${tool}: ${filePath}: is a directory`);
  return naming(tool, filePath, async () => {
    const root = await FolderHandle.open(found.base);
    const way = { make: tool === 'write' };
    const folder = await closing(root, () => root.open(path.dirname(found.path), way));
    const name = path.basename(found.path);
    return closing(folder, async () => {
      const existing = await openExisting(folder, name);
      if (existing === undefined) return work(folder, name);
      return closing(existing.handle, () => work(folder, name, existing));
    });
  });
}
