import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

const lost = 'Connection lost, reconnecting…';

describe('a lost connection', () => {
  const on = useConsole();

  it.each(['while a turn runs', 'while nothing happens'])(
    'is said within two seconds, and no more when it is back: %s',
    async (when) => {
      const { page, context } = await on.console.visit();
      const chat = new ChatPage(page);
      const isRunning = when === 'while a turn runs';
      await chat.begin(on.server.projectRoot, `Hello [[tokens=${isRunning ? 400 : 2} gap=20]]`);
      await chat.conversation.getByText('word2').first().waitFor();
      if (!isRunning) await chat.status('Done');
      // As a server that is gone: every request fails at once, and nobody says that the network changed.
      await context.route('**/*', (route) => route.abort('connectionrefused'));
      const bar = page.getByRole('status').getByText(lost);
      await bar.waitFor({ timeout: 2_000 });
      await context.unroute('**/*');
      await bar.waitFor({ state: 'detached' });
      await chat.status('Done');
      await chat.send('Again [[tokens=2]]');
      await chat.status('Done', 1);
    },
  );

  it('is said when the browser is offline', async () => {
    const { page, context, faults } = await on.console.visit('/agents');
    await page.getByRole('heading', { name: 'reader' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('status').getByText(lost).waitFor({ timeout: 2_000 });
    // What was loaded stays.
    await page.getByRole('heading', { name: 'reader' }).waitFor();
    await context.setOffline(false);
    await page.getByText(lost).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
