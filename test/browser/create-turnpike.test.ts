import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { freePort } from '../../scripts/services/free-port.mjs';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { words } from '../support/clients/run-example.js';
import { expectSoon } from '../support/expect-soon.js';
import { packPackages } from '../support/package/pack-packages.js';
import { runNpm } from '../support/package/run-npm.js';
import { sandboxEnvironment } from '../support/processes/test-shells.js';
import { newFolder, useShared } from '../support/suite.js';
import { openConsole, takePicture, type Visitor, type VisitOptions } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';

/** What the tool answers to the message that the page and the README have. */
const found = '{"id":"7","state":"left the warehouse at nine","address":"9 Elm Street"}';

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
  // The two lines that it prints; the tarball of Turnpike is beside its own.
  await runNpm(project, 'install', '--prefer-offline', '--ignore-scripts');
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
  const says = (words: string) => expectSoon(() => expect(output).toContain(words));
  await serves(1);
  return {
    project,
    urls,
    serves,
    says,
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

  async function logIn(name: string, options: VisitOptions = {}): Promise<Visitor> {
    const visitor = await browser.visit('/', options);
    await visitor.page.getByLabel('Your name').fill(name);
    await visitor.page.getByRole('button', { name: 'Log in' }).click();
    await visitor.page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    return visitor;
  }
  const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });
  const card = (page: Page) => page.getByRole('region', { name: 'Approval of change_address' });
  const says = (page: Page, status: string) =>
    page.getByRole('status').getByText(status, { exact: true }).waitFor();
  async function send(page: Page, message: string): Promise<void> {
    await page.getByLabel('Message').fill(message);
    await page.getByLabel('Message').press('Enter');
  }

  it('has a page, whose people log in, ask, see their chat after a reload, and log out', async () => {
    const { page, faults } = await logIn('ada lovelace');
    await page.getByRole('button', { name: 'Where is order 7?' }).click();
    await answers(page).getByText(`order_status: ${found}`).waitFor();
    await says(page, 'Ready');
    expect(await problemsOf(page)).toEqual([]);
    const shown = await page.getByRole('article').allTextContents();
    expect(shown).toHaveLength(2);
    await page.reload();
    await answers(page).getByText(`order_status: ${found}`).waitFor();
    expect(await page.getByRole('article').allTextContents()).toEqual(shown);
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    await page.getByRole('button', { name: 'Chats' }).click();
    await page.getByRole('navigation', { name: 'My chats' }).getByRole('link').click();
    await answers(page).getByText(`order_status: ${found}`).waitFor();
    // Another address of the same machine has other cookies, and its tokens would be refused.
    await page.goto(shop.urls.page.replace('localhost', '127.0.0.1'));
    expect(page.url()).toBe(`${shop.urls.page}/`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Your name').waitFor();
    expect(faults).toEqual([]);
  });

  it('goes on with an answer after a reload in its first step, and after one in a later step', async () => {
    const { page, faults } = await logIn('first');
    await send(page, 'Count. [[tokens=150 gap=20]]');
    await page.getByText('word20 ').waitFor();
    await page.reload();
    await page.getByText('word40 ').waitFor();
    expect(await answers(page).count()).toBe(1);
    await says(page, 'Ready');
    expect(await answers(page).allTextContents()).toEqual([words(150).trim()]);

    const later = '[[tool=order_status {"id":"7"}]] [[tokens=150 gap=20 step=2]]';
    await send(page, `Look, then count. ${later}`);
    await answers(page).nth(1).getByText('word20 ').waitFor();
    await page.reload();
    await says(page, 'Ready');
    const said = await answers(page).nth(1).textContent();
    expect(said).toContain('order_status done');
    expect(said?.endsWith(words(150).trim())).toBe(true);
    expect(await page.getByRole('article').count()).toBe(4);
    expect(faults).toEqual([]);
  });

  it('stops an answer, and says after a reload why one failed', async () => {
    const { page, faults } = await logIn('stops');
    await send(page, 'On and on. [[tokens=5000 gap=20]]');
    await page.getByText('word5 ').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers(page).getByText('Stopped.').waitFor();
    await send(page, '[[fail=400]]');
    const fault = answers(page).nth(1).getByText('The provider answered 400');
    await fault.waitFor();
    await page.reload();
    await fault.waitFor();
    await answers(page).first().getByText('It ended early.').waitFor();
    expect(faults).toEqual([]);
  });

  it.each([
    ['a desk', { width: 1_280, theme: 'light' }],
    ['a desk in the dark', { width: 1_280, theme: 'dark' }],
    ['a phone', { width: 390, height: 844, theme: 'light' }],
    ['a phone in the dark', { width: 390, height: 844, theme: 'dark' }],
  ] as const)('shows a change before it is made, also after a reload: on %s', async (on, look) => {
    const { page, faults } = await logIn(on, look);
    const long = 'in the third house behind the mill '.repeat(8);
    await send(
      page,
      `[[tool=change_address {"id":"8","from":"nowhere\\nat all","to":"nowhere\\n${long}"}]]`,
    );
    await card(page).waitFor();
    await page.reload();
    await says(page, 'A question is open');
    const lines = card(page).getByLabel('Changes').locator('span');
    expect(await lines.allTextContents()).toEqual(['nowhere', 'at all', long]);
    const parts = ['same', 'removed', 'added'];
    expect(await lines.evaluateAll((all) => all.map(({ className }) => className))).toEqual(parts);
    // What is approved can be read: nothing is cut off, and nothing is beside the page.
    expect(await widthOf(page)).toBe(look.width);
    for (const box of [card(page), card(page).getByLabel('Changes')]) {
      expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    }
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, `create-turnpike-${look.width}-${look.theme}`);
    const [, ground] = /rgb\((\d+)/.exec(
      await page.evaluate('getComputedStyle(document.body).backgroundColor'),
    ) ?? ['', ''];
    expect(Number(ground) < 128).toBe(look.theme === 'dark');
    await card(page).getByRole('button', { name: 'Approve' }).click();
    await answers(page).getByText('change_address failed').waitFor();
    await says(page, 'Ready');
    expect(await card(page).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('is built for production, where its server has no other files', async () => {
    await runNpm(shop.project, 'run', 'build');
    const url = `http://localhost:${await freePort()}`;
    const server = spawn(process.execPath, ['server.mjs'], {
      cwd: shop.project,
      env: { NODE_ENV: 'production', PAGE_URL: url, TURNPIKE_URL: shop.urls.turnpike },
    });
    try {
      await once(server.stdout, 'data');
      const page = await (await fetch(url)).text();
      const [, script = ''] = /src="([^"]+)"/.exec(page) ?? [];
      expect((await fetch(url + script)).headers.get('content-type')).toContain('text/javascript');
      for (const path of ['/server.mjs', '/assets/..%2f..%2fserver.mjs', '/assets/none.js']) {
        expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
      }
    } finally {
      server.kill();
    }
  });

  it('keeps the theme that a person chose', async () => {
    const { page } = await logIn('chooses');
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Light theme' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(
      'dark',
    );
  });

  it('asks the person about a tool with effects, and starts again when one is added', async () => {
    const tool = `import { defineTool } from 'turnpike';
export default defineTool({ description: 'Refunds an order.', input: { type: 'object' }, effect: 'edit', run: () => 'Refunded.' });
`;
    const agent = path.join(shop.project, 'instructions/agents/helper.md');
    const text = (await readFile(agent, 'utf8')).replace(
      '[order_status, change_address]',
      '[order_status, change_address, refund]',
    );
    await writeFile(path.join(shop.project, 'tools/refund.ts'), tool);
    await shop.serves(2);
    // An agent's change needs no new process.
    await writeFile(agent, text);
    await shop.says('Turns have it from now on');
    await shop.serves(2);
    const { page, faults } = await logIn('ben');
    await send(page, '[[tool=refund {}]]');
    await page.getByRole('heading', { name: 'May refund run?' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await answers(page).getByText('refund: Refunded.').waitFor();
    expect(faults).toEqual([]);
  });
});
