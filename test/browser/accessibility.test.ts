import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChatPage } from './chat-page.js';
import { takePicture, type VisitOptions } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';
import { useConsole } from './use-console.js';

describe('every page', () => {
  const on = useConsole();
  let pages: Record<string, string>;
  beforeAll(async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const done = '[[think=20]] [[tokens=30]] [[cite]] [[tool=read {"file_path":"none.md"}]]';
    const finished = await client.turn(sessionId, done, { opts: { thinking: true } });
    await finished.all();
    const first = finished.header('x-turn-id');
    const again = await client.post(`/api/harness/turns/${first}/replay`, { tools: 'none' });
    const replay = (again.body['turn'] as { turnId: string }).turnId;
    await (await client.follow(replay)).all();
    const asking = await client.turn(
      sessionId,
      '[[tool=write {"file_path":"a.md","content":"# A"}]]',
      { opts: { onDisconnect: 'continue' } },
    );
    await asking.until('approval:request');
    const turnId = asking.header('x-turn-id');
    await client.post('/api/harness/webhooks', {
      url: 'https://example.com/hooks',
      description: 'Mails the team',
    });
    await client.request('PUT', '/api/harness/schedules/weekly', {
      body: JSON.stringify({ cron: '0 9 * * 1', tz: 'UTC', session: 'new', message: 'Report' }),
      headers: { 'content-type': 'application/json' },
    });
    await client.request('PUT', '/api/harness/memory/KEEPER/file?path=/memories/notes.md', {
      body: JSON.stringify({ content: 'Reports are due on Fridays.' }),
      headers: { 'content-type': 'application/json', 'if-none-match': '*' },
    });
    pages = {
      home: '/',
      session: `/sessions/${sessionId}`,
      turn: `/turns/${turnId}`,
      compare: `/turns/${first}/compare/${replay}`,
      approvals: '/approvals',
      agents: '/agents',
      turns: '/turns',
      memory: '/memory',
      schedules: '/schedules',
      webhooks: '/webhooks',
      settings: '/settings',
      keys: '/keys',
      usage: '/usage',
      help: '/help/guide/models',
      unknown: '/sessions',
    };
  });

  /** A text of each page that is shown only once the page is complete. */
  const whole: Record<string, string> = {
    home: 'What would you like to do?',
    session: 'Allow write to run?',
    turn: 'turn.started',
    compare: 'only recorded',
    approvals: 'Allow write to run?',
    agents: 'todo_write',
    turns: 'Assistant · claude',
    memory: '/memories/notes.md',
    schedules: 'UTC time',
    webhooks: 'Mails the team',
    settings: 'Tools at the same time',
    keys: 'This server has no API keys.',
    usage: 'Cost',
    help: 'API reference',
  };

  const names = Object.keys(whole);

  async function open(name: string, options: VisitOptions) {
    const visitor = await on.console.visit(pages[name], options);
    await untilWhole(visitor.page, name);
    return visitor;
  }

  async function untilWhole(page: Page, name: string): Promise<void> {
    await page
      .getByText(whole[name] ?? '')
      .first()
      .waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
  }

  it.each(names)(
    '%s has nothing serious against it, in light, in dark and on 360 pixels',
    async (name) => {
      const { page, context, faults } = await open(name, { theme: 'light' });
      expect(await problemsOf(page)).toEqual([]);
      await takePicture(page, `${name}-light`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.reload();
      await untilWhole(page, name);
      // Themes change nothing but colours.
      expect(await problemsOf(page, ['color-contrast'])).toEqual([]);
      await takePicture(page, `${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.reload();
      await untilWhole(page, name);
      expect(await widthOf(page)).toBeLessThanOrEqual(360);
      expect(await problemsOf(page)).toEqual([]);
      await takePicture(page, `${name}-narrow`);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  it('is reached through the drawer on a narrow screen', async () => {
    const { page } = await open('home', { width: 360, height: 740 });
    await page.getByRole('button', { name: 'Sessions and pages' }).click();
    const drawer = page.getByRole('dialog', { name: 'Sessions and pages' });
    await drawer.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'drawer-narrow');
    await drawer.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await drawer.waitFor({ state: 'detached' });
  });

  it('keeps the theme that was chosen', async () => {
    const { page } = await open('home', { theme: 'light' });
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
    await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    await page.getByText('What would you like to do?').waitFor();
    expect(await theme()).toBe('dark');
  });

  it('works without a mouse', async () => {
    const { page } = await open('session', {});
    const chat = new ChatPage(page);
    await page.getByRole('main').focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    // Escape closed the dialog, and not the turn.
    expect(
      await chat.tool('write').getByRole('button', { name: 'Allow once', exact: true }).count(),
    ).toBe(1);
    await page.getByRole('main').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('line one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('line two');
    expect(await chat.message.inputValue()).toBe('line one\nline two');
  });
});
