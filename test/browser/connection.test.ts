import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

const lost = 'Connection lost, reconnecting…';

/** Counts in a page the checks of the connection that have no answer yet. */
const countChecks = `
  const send = fetch;
  window.checksUnderWay = 0;
  window.fetch = (...request) => {
    if (request[0] !== '/live') return send(...request);
    window.checksUnderWay += 1;
    return send(...request).finally(() => (window.checksUnderWay -= 1));
  };
`;

describe('a lost connection', () => {
  const on = useConsole();

  /** A page whose clock a test can stop: what it says in two seconds does not depend on the machine. */
  async function visit(path: string) {
    // A page without timers of its own.
    const visitor = await on.console.visit('/health');
    await visitor.page.clock.install();
    await visitor.page.addInitScript(countChecks);
    await visitor.page.goto(path);
    return visitor;
  }

  /** Stops the page's clock while no check of the connection is under way. */
  async function stopClock(page: Page): Promise<void> {
    await page.clock.pauseAt(Date.now() + 5_000);
    await page.waitForFunction('checksUnderWay === 0', undefined, { polling: 20 });
  }

  it.each(['while a turn runs', 'while nothing happens'])(
    'is said within two seconds, and no more when it is back: %s',
    async (when) => {
      const { page, context } = await visit('/');
      const chat = new ChatPage(page);
      const isRunning = when === 'while a turn runs';
      await chat.begin(on.server.projectRoot, `Hello [[tokens=${isRunning ? 400 : 2} gap=20]]`);
      await chat.conversation.getByText('word2').first().waitFor();
      if (!isRunning) await chat.status('Done');
      await stopClock(page);
      // As a server that is gone: every request fails at once, and nobody says that the network changed.
      await context.route('**/*', (route) => route.abort('connectionrefused'));
      const bar = page.getByRole('status').getByText(lost);
      await page.clock.runFor(2_000);
      await bar.waitFor();
      await context.unroute('**/*');
      await page.clock.resume();
      await bar.waitFor({ state: 'detached' });
      await chat.status('Done');
      await chat.send('Again [[tokens=2]]');
      await chat.status('Done', 1);
    },
  );

  it('is said when the browser is offline', async () => {
    const { page, context, faults } = await visit('/agents');
    await page.getByRole('heading', { name: 'reader' }).waitFor();
    // At once: a check of the connection would come too late.
    await stopClock(page);
    await context.setOffline(true);
    await page.getByRole('status').getByText(lost).waitFor();
    // What was loaded stays.
    await page.getByRole('heading', { name: 'reader' }).waitFor();
    await context.setOffline(false);
    await page.clock.resume();
    await page.getByText(lost).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
