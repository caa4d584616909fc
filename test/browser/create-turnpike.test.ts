import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject } from '../../packages/create-turnpike/create-project.mjs';
import { freePort } from '../../scripts/services/free-port.mjs';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { expectSoon } from '../support/expect-soon.js';
import { packPackages } from '../support/package/pack-packages.js';
import { runNpm } from '../support/package/run-npm.js';
import { sandboxEnvironment } from '../support/processes/test-shells.js';
import { newFolder, useShared } from '../support/suite.js';
import { openConsole, takePicture } from './open-console.js';
import { problemsOf } from './page-problems.js';

/** What the tool answers to the message that the page and the README have. */
const found = '{"id":"7","state":"left the warehouse at nine"}';

/** A project as a stranger makes it in an empty folder, of tarballs, and starts it. */
async function startProject() {
  const folder = newFolder();
  const tarballs = await packPackages(folder);
  await runNpm(
    folder,
    'exec',
    '--yes',
    '--package',
    tarballs.create,
    '--',
    'create-turnpike',
    'shop',
  );
  const project = path.join(folder, 'shop');
  await runNpm(project, 'install', tarballs.turnpike, '--prefer-offline', '--ignore-scripts');
  const [port, pagePort] = [await freePort(), await freePort()];
  const urls = { turnpike: `http://127.0.0.1:${port}`, page: `http://localhost:${pagePort}` };
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', ['run', 'dev'], {
    cwd: project,
    // A terminal's Ctrl-C goes to npm and to all that it started.
    detached: true,
    env: { PATH, HOME, PAGE_URL: urls.page, TURNPIKE_PORT: String(port), ...sandboxEnvironment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const serves = (times: number) =>
    expectSoon(() => {
      expect(output.split(`serves ${urls.turnpike} from now on`).length - 1).toBe(times);
      expect(output).toContain(`The page is at ${urls.page}`);
    });
  await serves(1);
  return {
    project,
    urls,
    serves,
    close: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
      // Only an orderly stop gives the folder back.
      expect(await readdir(path.join(project, '.turnpike'))).toEqual(['db', 'page-key']);
    },
  };
}

describe('a project of create-turnpike', () => {
  const shop = useShared(startProject);
  const browser = useShared(() => openConsole(shop.urls.page));

  it('is installed without scripts, and has the manual for its coding agent', async () => {
    const read = (file: string) => readFile(path.join(shop.project, file), 'utf8');
    const { packages } = JSON.parse(await read('node_modules/.package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    expect(Object.values(packages).filter((one) => one.hasInstallScript === true)).toEqual([]);
    expect(await read('.gitignore')).toContain('.turnpike');
    const shown = [await read('AGENTS.md'), await read('README.md')].join('\n');
    const named = [...shown.matchAll(/node_modules\/turnpike\/[\w./-]+\w/g)].map(([file]) => file);
    expect(named.length).toBeGreaterThan(4);
    const pages = [...shown.matchAll(/`(docs\/[\w/-]+\.md)`/g)];
    for (const file of [...named, ...pages.map(([, page]) => `node_modules/turnpike/${page}`)]) {
      if (file.endsWith('/docs')) continue;
      expect([file, await read(file)]).toEqual([file, expect.any(String)]);
    }
  });

  it('has a tool that the compiler takes, as an editor shows it', async () => {
    const compiler = path.join(packageRoot, 'node_modules/typescript-native/bin/tsc');
    const child = spawn(process.execPath, [compiler, '-p', shop.project]);
    expect((await child.stdout.setEncoding('utf8').toArray()).join('')).toBe('');
  });

  it('runs a first turn with the tool, by the line in its README', async () => {
    const [, line = ''] =
      /(curl .* \\\n.*)\n/.exec(await readFile(path.join(shop.project, 'README.md'), 'utf8')) ?? [];
    const asked = line.replace('http://127.0.0.1:4400', shop.urls.turnpike);
    const shell = spawn('sh', ['-c', asked], { cwd: shop.project });
    const [answer] = await Promise.all([
      shell.stdout.setEncoding('utf8').toArray(),
      once(shell, 'exit'),
    ]);
    expect(JSON.parse(answer.join(''))).toMatchObject({
      content: expect.stringContaining(found),
      tool_calls: [expect.objectContaining({ name: 'order_status' })],
    });
  });

  it('has a page, whose people log in, ask, see their chat after a reload, and log out', async () => {
    const { page, faults } = await browser.visit();
    await page.getByLabel('Your name').fill('ada lovelace');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('ada lovelace').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toContain('[[tool=order_status');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('article', { name: 'assistant' });
    await page.getByRole('status').getByText('completed', { exact: true }).waitFor();
    expect(await answer.textContent()).toContain(found);
    await takePicture(page, 'create-turnpike');
    expect(await problemsOf(page)).toEqual([]);
    await page.reload();
    await answer.getByText(found).waitFor();
    expect(await page.getByRole('article', { name: 'user' }).count()).toBe(1);
    // Another address of the same machine has other cookies, and its tokens would be refused.
    await page.goto(shop.urls.page.replace('localhost', '127.0.0.1'));
    expect(page.url()).toBe(`${shop.urls.page}/`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Your name').waitFor();
    expect(faults).toEqual([]);
  });

  it('asks the person about a tool with effects, and starts again when one is added', async () => {
    const tool = `import { defineTool } from 'turnpike';
export default defineTool({ description: 'Refunds an order.', input: { type: 'object' }, effect: 'edit', run: () => 'Refunded.' });
`;
    const agent = path.join(shop.project, 'instructions/agents/helper.md');
    const text = (await readFile(agent, 'utf8')).replace(
      '[order_status]',
      '[order_status, refund]',
    );
    await writeFile(path.join(shop.project, 'tools/refund.ts'), tool);
    await shop.serves(2);
    // An agent's change is a restart of its own.
    await writeFile(agent, text);
    await shop.serves(3);
    const { page, faults } = await browser.visit();
    await page.getByLabel('Your name').fill('ben');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('Message').fill('[[tool=refund {}]]');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('May refund run? {}').waitFor();
    await page.getByRole('button', { name: 'approve' }).click();
    await page.getByRole('article', { name: 'assistant' }).getByText('Refunded.').waitFor();
    expect(faults).toEqual([]);
  });
});

describe('create-turnpike', () => {
  it.each([
    ['USAGE', []],
    ['USAGE', ['--help']],
    ['USAGE', ['a', 'b']],
    ['NAME_INVALID', ['My App']],
    ['NAME_INVALID', ['../a']],
    ['NAME_INVALID', ['.a']],
  ])('refuses with %s what is no name: %j', (code, given) => {
    expect(() => createProject(given)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses a Node that does not run TypeScript, and says which one does', () => {
    const code = 'NODE_TOO_OLD';
    for (const node of ['20.20.2', '22.17.9']) {
      expect(() => createProject(['my-app'], node)).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining('Install Node 22.18') }),
      );
    }
  });

  it('writes into no folder with files', async () => {
    const folder = newFolder();
    const program = path.resolve('packages/create-turnpike/create-turnpike.mjs');
    await mkdir(path.join(folder, 'mine'));
    await writeFile(path.join(folder, 'mine/notes.txt'), 'Hello');
    const child = spawn(process.execPath, [program, 'mine'], { cwd: folder });
    const said = (await child.stderr.setEncoding('utf8').toArray()).join('');
    expect(said).toMatch(/^FOLDER_NOT_EMPTY: There are files in .*mine\. Choose another name/);
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(1);
    await expect(readFile(path.join(folder, 'mine/package.json'))).rejects.toThrow('ENOENT');
  });
});
