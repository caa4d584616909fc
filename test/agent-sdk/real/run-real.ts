import { chmodSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compact } from '../../../src/platform/compact.js';
import { newFolder } from '../../support/suite.js';
import type { Case } from '../case.js';
import { changedFiles, readProject, writeProject } from '../project-folder.js';
import type { Entry } from '../record.js';
import type { Recording } from '../normalise.js';
import type { Program } from '../programs.js';
import {
  startScriptedMessages,
  type Rename,
  type ScriptedMessages,
  type Thread,
} from '../scripted-messages.js';
import { ownUser } from './own-user.js';
import { runProcess } from './run-process.js';

/** The module of the real SDK in the folder that `installReal` returns. */
export function realModule(sdkFolder: string): string {
  return path.join(sdkFolder, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
}

const caseProgram = new URL('run-case.ts', import.meta.url);
const programProgram = new URL('run-program.ts', import.meta.url);
const programFolder = fileURLToPath(new URL('../programs/', import.meta.url));

/**
 * Runs a case on the real SDK: a process of its own, as a user without rights, with a home, settings and a project that
 * are gone afterwards, and the scripted model as its only address.
 *
 * @param sdkFolder as `installReal` returns it.
 * @throws Error where the case did not end, or its process failed.
 */
export async function runReal(
  group: string,
  one: Pick<Case, 'name' | 'files' | 'script'>,
  sdkFolder: string,
): Promise<Recording> {
  return withPlace(one, async ({ folder, project, model, user }) => {
    const before = readProject(project);
    const args = [group, one.name, realModule(sdkFolder), project, ...user];
    const lines = await runProcess(caseProgram, args, {
      env: realEnvironment(folder, model.url),
    });
    const entries = lines.map((line) => JSON.parse(line) as Entry);
    const files = changedFiles(before, readProject(project));
    const { requests, faults } = model;
    return { project, entries, files, requests, faults };
  });
}

/**
 * Runs a program of `programs/` in its project's folder.
 *
 * @param sdkModule the file that its import of the SDK gets: `realModule` of the real one, or ours.
 * @param rename gives a call of the script the name and input of ours.
 * @returns the lines that it prints, and what was wrong with its requests.
 */
export async function runProgram(
  program: Program,
  sdkModule: string,
  how: { rename?: Rename; asOwnUser?: false } = {},
): Promise<{ lines: string[]; faults: string[] }> {
  return withPlace({ ...program, ...how }, async ({ folder, project, model, user, owner }) => {
    const name = `${program.name}.ts`;
    const text = readFileSync(path.join(programFolder, name), 'utf8');
    writeProject(path.join(folder, 'program'), { [name]: text }, owner);
    const args = [path.join(folder, 'program', name), sdkModule, ...user];
    const env = realEnvironment(folder, model.url);
    const lines = await runProcess(programProgram, args, { env, cwd: project });
    return { lines, faults: model.faults };
  });
}

interface RealPlace {
  folder: string;
  project: string;
  model: ScriptedMessages;
  owner: number | undefined;
  /** The last argument of a process that becomes this user; none where it is one already. */
  user: string[];
}

interface Played {
  files?: Readonly<Record<string, string>>;
  script: readonly Thread[];
  rename?: Rename | undefined;
  /** `false`: as the user of this process, whose server may write its project. Default: as one that is not root. */
  asOwnUser?: false;
}

async function withPlace<T>(
  { files = {}, script, rename, asOwnUser }: Played,
  run: (place: RealPlace) => Promise<T>,
): Promise<T> {
  const owner = asOwnUser === false ? undefined : ownUser();
  const folder = newFolder();
  chmodSync(folder, 0o755);
  const project = path.join(folder, 'project');
  for (const name of ['home', 'config', 'tmp']) writeProject(path.join(folder, name), {}, owner);
  writeProject(project, files, owner);
  const model = await startScriptedMessages(script, compact({ project, rename }));
  try {
    const user = owner === undefined ? [] : [String(owner)];
    return await run({ folder, project, model, owner, user });
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** All that the real SDK finds in its environment. */
export function realEnvironment(folder: string, modelUrl: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: path.join(folder, 'home'),
    CLAUDE_CONFIG_DIR: path.join(folder, 'config'),
    // Of the compiler of this process; the SDK has one that is gone with the case.
    TMPDIR: '/tmp',
    CLAUDE_CODE_TMPDIR: path.join(folder, 'tmp'),
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}
