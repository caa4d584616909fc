import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

/** The page's shifts are recorded from before its own script runs. */
const watch = `
  window.shifts = [];
  window.refused = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.shifts.push({ value: entry.value, of: entry.sources.map(({ node, previousRect: a, currentRect: b }) => [node?.nodeName, node?.className ?? node?.data, a.x, a.y, '->', b.x, b.y].join(' ')) });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  addEventListener('securitypolicyviolation', (event) => window.refused.push(event.violatedDirective + ' ' + event.blockedURI));
`;

describe('a reply that streams', () => {
  const on = useConsole();

  async function watched(message: string, modelsCome?: Promise<void>) {
    const { page, context } = await on.console.visit('/settings');
    await context.addInitScript(watch);
    await context.route('**/api/harness/models', async (route) => {
      await modelsCome;
      await route.continue();
    });
    const sessionId = await on.server.client.createSession(on.server.projectRoot);
    const stream = await on.server.client.turn(sessionId, message, {
      opts: { onDisconnect: 'continue', thinking: true },
    });
    await page.goto(`/sessions/${sessionId}`);
    return { page, stream, chat: new ChatPage(page) };
  }

  it('moves nothing, and asks for nothing that the page’s policy refuses', async () => {
    let sendModels = (): void => undefined;
    const modelsCome = new Promise<void>((resolve) => (sendModels = resolve));
    const { page, chat } = await watched('[[think=40]] [[tokens=600 gap=8]] [[cite]]', modelsCome);
    await chat.conversation
      .getByText(/word20 /)
      .first()
      .waitFor();
    // Shifts while the page is first drawn have nothing to do with streaming: the agent's title comes with a list.
    await page.locator('header').getByText('Assistant', { exact: true }).waitFor();
    await page.evaluate('void (window.shifts.length = 0)');
    // A list that comes late fills places that are kept for it.
    sendModels();
    await page.locator('header').getByText('claude-sonnet-5-5', { exact: true }).waitFor();
    await chat.status('Done');
    expect(await page.evaluate('window.shifts')).toEqual([]);
    expect(await page.evaluate('window.refused')).toEqual([]);
  });

  it('stays at its end, but not for a reader who has scrolled away', async () => {
    const { page, chat } = await watched('[[tokens=1500 gap=5]]');
    const fromEnd = async (): Promise<number> =>
      chat.conversation.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await chat.conversation
      .getByText(/word500 /)
      .first()
      .waitFor();
    // A word is in the page before the page has scrolled to it.
    await expectSoon(async () => expect(await fromEnd()).toBeLessThan(60));
    await chat.conversation.evaluate((box) => (box.scrollTop = 0));
    await chat.conversation
      .getByText(/word700 /)
      .first()
      .waitFor();
    expect(await chat.conversation.evaluate((box) => box.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Scroll to the end' }).click();
    await chat.status('Done');
    await expectSoon(async () => expect(await fromEnd()).toBeLessThan(60));
  });
});
