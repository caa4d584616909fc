import { testTurn } from '../support/tools/test-turn.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openAttachment } from '../../src/attachments/load-path.js';
import { closing, FolderHandle } from '../../src/platform/files/folder-handle.js';
import { errorCode } from '../../src/platform/error-code.js';
import type { JsonObject } from '../../src/platform/json.js';
import { findSkills, readInside } from '../../src/agents/find-skills.js';
import { editTool, readTool, writeTool } from '../../src/tools/builtin/file-tools.js';
import { globTool } from '../../src/tools/builtin/glob.js';
import { grepTool } from '../../src/tools/builtin/grep.js';
import { ToolFailure, type ToolDefinition } from '../../src/tools/tool.js';
import { systemClock } from '../../src/platform/clock.js';
import { ShellSession } from '../../src/tools/sandbox/shell-session.js';
import { sandboxedShells } from '../support/processes/test-shells.js';
import { newFolder } from '../support/suite.js';

/** How often each tool meets the folder, and how often the link. */
const MEETINGS = process.env['TEST_RELEASE'] === undefined ? 60 : 1_000;
const SECRET = 'planted-outside-of-the-project-9c3e';

/** Exchanges two paths for ever, as a command may: renameat2 with RENAME_EXCHANGE. */
const racer = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
number = {'x86_64': 316, 'aarch64': 276}[os.uname().machine]
one, other = (name.encode() for name in sys.argv[1:])
if libc.syscall(number, -100, one, -100, other, 2) != 0: sys.exit(1)
print('ready', flush=True)
while True: libc.syscall(number, -100, one, -100, other, 2)
`;
import { outputText } from '../../src/platform/parsing/tool-output.js';

let base: string;
/** Where the link leads. */
let target: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  base = newFolder();
});

/** A project with a folder, and beside it a link of the same contents elsewhere, which are exchanged for ever. */
async function exchange(elsewhere: string): Promise<void> {
  target = path.join(base, elsewhere);
  for (const [folder, text] of [
    [path.join(base, 'project/dir'), 'inside'],
    [target, SECRET],
  ] as const) {
    await mkdir(path.join(folder, 'pdf'), { recursive: true });
    const skill = `---\nname: pdf\ndescription: ${text}.\n---\n${text}`;
    await writeFile(path.join(folder, 'a.txt'), `marker ${text}\n`);
    await writeFile(path.join(folder, 'pdf/SKILL.md'), skill);
  }
  await writeFile(path.join(target, `${SECRET}.txt`), SECRET);
  const names = ['dir', 'swap'].map((name) => path.join(base, 'project', name));
  await symlink(target, names[1] ?? '');
  child = spawn('python3', ['-c', racer, ...names]);
  if (child.stdout === null) throw new Error('The racer has no output');
  await once(child.stdout, 'data');
}

afterEach(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  child = undefined;
});

/** Everything where the link leads: names, contents, and whether something was written. */
async function look(): Promise<unknown[]> {
  const names = (await readdir(target, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(target, name);
      const { ino, mtimeMs, ...stats } = await stat(file);
      const text = name.includes('.') ? await readFile(file, 'utf8') : '';
      return { name, ino, mtimeMs, mode: stats.mode, text };
    }),
  );
}

/** Tries again and again until it has met the folder and the link often enough. */
async function race(attempt: () => Promise<string>, meetings = MEETINGS): Promise<void> {
  const tally = { shown: 0, refused: 0 };
  while (Math.min(tally.shown, tally.refused) < meetings) {
    try {
      const text = await attempt();
      tally.shown += 1;
      if (text.includes(SECRET)) throw new Error(`A file outside was shown: ${text}`);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      if (error.message.includes(SECRET)) throw error;
      tally.refused += 1;
    }
  }
}

/** What is the server's own wherever it is. */
const ownPaths = () => ({ closed: [target], hidden: [], protected: [] });

const runIn =
  (workdir: string) =>
  async (tool: ToolDefinition, input: JsonObject): Promise<string> =>
    outputText(
      await tool
        .open({
          turn: testTurn,
          workdir: path.join(base, workdir),
          others: [],
          ownPaths: ownPaths(),
        })
        .run(input, {
          callId: 'call_1',
          idempotencyKey: 'turn_1:call_1',
          signal: new AbortController().signal,
          progress: () => undefined,
        }),
    );

type Run = ReturnType<typeof runIn>;

/** What each tool does in a folder, given the way to it. */
const attempts: [string, (run: Run, way: string) => Promise<string>][] = [
  ['read', (run, way) => run(readTool, { file_path: `${way}a.txt` })],
  ['write', (run, way) => run(writeTool, { file_path: `${way}a.txt`, content: 'marker inside' })],
  [
    'write of new files',
    (run, way) => run(writeTool, { file_path: `${way}n/b.txt`, content: 'x' }),
  ],
  [
    'edit',
    (run, way) =>
      run(editTool, { file_path: `${way}a.txt`, old_string: 'marker', new_string: 'marker' }),
  ],
  ['grep', (run, way) => run(grepTool, { pattern: 'planted', path: way || '.' })],
  ['glob', (run, way) => run(globTool, { pattern: '**/*', path: way || '.' })],
];

/** The code of an error of the system. @throws any other. */
function codeOf(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return code;
}

async function textOf(handle: { readFile(): Promise<Buffer>; close(): Promise<void> }) {
  return closing(handle, async () => String(await handle.readFile()));
}

const attachment = async (projectRoot: string, file: string): Promise<string> => {
  const opened = await openAttachment(file, { projectRoot, roots: [], closed: [target] });
  if ('reason' in opened) throw new ToolFailure(opened.reason);
  return textOf(opened.handle);
};

/** The skills of `dir`, and the file of one. */
const skills = async (root: string, below: string): Promise<string> => {
  const found = await findSkills({ level: 'project', root, hidden: [target], below });
  const folder = below === '.' ? 'pdf' : `${below}/pdf`;
  const read = await readInside({ root, hidden: [target], folder }, 'SKILL.md', 1_000);
  if ('fault' in read) throw new ToolFailure(read.fault);
  return read.text + JSON.stringify(found);
};

describe('a folder that a command exchanges for a link, over and over', () => {
  it.each([
    ['out of the project', 'outside'],
    ['to a folder of the server in it', 'project/data'],
  ])('leads no tool %s', async (_name, elsewhere) => {
    await exchange(elsewhere);
    const before = await look();
    const root = path.join(base, 'project');
    await Promise.all([
      ...attempts.map(([, attempt]) => race(() => attempt(runIn('project'), 'dir/'))),
      race(() => attachment(root, path.join(root, 'dir/a.txt'))),
      race(() => skills(root, 'dir')),
    ]);
    expect(await look()).toEqual(before);
  });

  it('leads none out where it is the project root itself', async () => {
    await exchange('outside');
    const before = await look();
    const root = path.join(base, 'project/dir');
    await Promise.all([
      ...attempts.map(([, attempt]) => race(() => attempt(runIn('project/dir'), ''))),
      race(() => attachment(root, path.join(root, 'a.txt'))),
      race(() => skills(root, '.')),
    ]);
    expect(await look()).toEqual(before);
  });

  it('leads no deletion out', async () => {
    await exchange('outside');
    const before = await look();
    const root = path.join(base, 'project');
    for (let round = 0; round < 5 * MEETINGS; round += 1) {
      await mkdir(path.join(root, 'other/deep/er'), { recursive: true });
      await writeFile(path.join(root, 'other/deep/a.txt'), '');
      const held = await FolderHandle.open(root);
      await closing(held, () => held.removeAll()).catch(codeOf);
      await mkdir(path.join(base, 'new'), { recursive: true });
      await writeFile(path.join(base, 'new/a.txt'), 'inside');
      await rename(path.join(base, 'new'), path.join(root, 'dir')).catch(codeOf);
      await symlink(target, path.join(root, 'swap')).catch(codeOf);
    }
    expect(await look()).toEqual(before);
  });

  it('has no shell start where the link leads', async () => {
    await exchange('outside');
    const shells = await sandboxedShells();
    if (shells.kind !== 'sandboxed') throw new Error(shells.reason);
    const { signal } = new AbortController();
    const root = path.join(base, 'project/dir');
    const start = async (): Promise<string> => {
      const program = await shells.program(root, { env: process.env as never, others: [] });
      const options = { clock: systemClock, outputBytes: 10_000 };
      const shell = await ShellSession.open(program, options, signal).catch((error: Error) => {
        throw new ToolFailure(error.message);
      });
      const { output } = await shell.exec('cat *.txt', { timeoutMs: 5_000, signal });
      await shell.close();
      return output;
    };
    // A start takes a hundred times what a tool takes.
    await race(start, MEETINGS / 10);
  });
});
