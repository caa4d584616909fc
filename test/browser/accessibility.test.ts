import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { ChatPage } from './chat-page.js';
import { takePicture, type VisitOptions } from './open-console.js';
import { useConsole } from './use-console.js';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Problems that axe ranks serious or worse, with their elements. @param rules of axe; default: all.
 */
async function problemsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A script element would be refused by the page's policy.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(`${axeSource}; undefined`);
  }
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

const width = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

describe('every page', () => {
  const on = useConsole();
  let pages: Record<string, string>;
  beforeAll(async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const done = '[[think=20]] [[tokens=30]] [[cite]] [[tool=read {"file_path":"none.md"}]]';
    await (await client.turn(sessionId, done, { opts: { thinking: true } })).all();
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
    pages = {
      home: '/',
      session: `/sessions/${sessionId}`,
      turn: `/turns/${turnId}`,
      approvals: '/approvals',
      agents: '/agents',
      queue: '/queue',
      webhooks: '/webhooks',
      settings: '/settings',
      unknown: '/sessions',
    };
  });

  /** A text of each page that is shown only once the page is complete. */
  const whole: Record<string, string> = {
    home: 'What should be done?',
    session: 'May write run?',
    turn: 'turn.started',
    approvals: 'May write run?',
    agents: 'todo_write',
    queue: 'Waits for a slot of a worker.',
    webhooks: 'Mails the team',
    settings: 'Tools at a time',
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
      expect(await width(page)).toBeLessThanOrEqual(360);
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
    await page.getByText('What should be done?').waitFor();
    expect(await theme()).toBe('dark');
  });

  it('works without a mouse', async () => {
    const { page } = await open('session', {});
    const chat = new ChatPage(page);
    await page.getByRole('main').focus();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    // Escape closed the dialog, and not the turn.
    expect(
      await chat.tool('write').getByRole('button', { name: 'Approve', exact: true }).count(),
    ).toBe(1);
    await page.getByRole('main').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('line one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('line two');
    expect(await chat.message.inputValue()).toBe('line one\nline two');
  });
});
