import { spawn } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../../support/suite.js';
import type { Case } from '../case.js';
import { changedFiles, readProject, writeProject } from '../project-folder.js';
import type { Entry } from '../record.js';
import type { Recording } from '../normalise.js';
import { startScriptedMessages } from '../scripted-messages.js';
import { ownUser } from './own-user.js';

/** Of a case that takes a second or two. */
const CASE_TIMEOUT_MS = 60_000;

const hooks = new URL('../../jest/typescript-hooks.mjs', import.meta.url).href;
const program = fileURLToPath(new URL('run-case.ts', import.meta.url));

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
  const owner = ownUser();
  const folder = newFolder();
  chmodSync(folder, 0o755);
  const project = path.join(folder, 'project');
  for (const name of ['home', 'config']) writeProject(path.join(folder, name), {}, owner);
  writeProject(project, one.files ?? {}, owner);
  const before = readProject(project);
  const model = await startScriptedMessages(one.script, { project });
  try {
    const user = owner === undefined ? [] : [String(owner)];
    const entries = await runProcess(
      ['--import', hooks, program, group, one.name, sdkFolder, project, ...user],
      realEnvironment(folder, model.url),
    );
    const files = changedFiles(before, readProject(project));
    const { requests, faults } = model;
    return { project, entries, files, requests, faults };
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
    TMPDIR: '/tmp',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

async function runProcess(args: string[], env: Record<string, string>): Promise<Entry[]> {
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it started can be ended with it.
    detached: true,
  });
  const { stdout, stderr, code } = await outputOf(child, CASE_TIMEOUT_MS);
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (code !== 0) {
    throw new Error(
      `The process of the case ended with ${code ?? `no code, or after ${CASE_TIMEOUT_MS} ms`}. ${stderr}\n${lines.slice(-3).join('\n')}`,
    );
  }
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** What a process prints until it ends; it and what it started are ended after a time. */
export async function outputOf(
  child: ReturnType<typeof spawn>,
  timeoutMs: number,
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const end = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  const timer = setTimeout(end, timeoutMs);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      // What it left would hold its output open.
      end();
      child.once('close', () => resolve(code));
    });
  });
  return { stdout, stderr, code };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // None of them is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
