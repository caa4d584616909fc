import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

describe('an open question', () => {
  const on = useConsole();

  it('is on the badge at once, and found again after the window became smaller', async () => {
    const { page, faults } = await on.console.visit();
    // The page's polls never come, so that the badge can only be told by the event.
    await page.addInitScript('window.setInterval = () => 0');
    await page.reload();
    const chat = new ChatPage(page);
    const long = 'A long answer. '.repeat(200);
    const input = JSON.stringify({ file_path: 'a.txt', content: 'x' });
    await chat.begin(on.server.projectRoot, `${long} [[tool=write ${input}]]`);
    const card = chat.tool('write').getByRole('group', { name: 'Allow write to run?' });
    await card.waitFor();
    await page
      .getByRole('link', { name: /^Approvals.*1/ })
      .first()
      .waitFor();

    const show = page.getByRole('button', { name: 'Show the open question' });
    expect(await show.count()).toBe(0);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    // The lines break anew in the frame in which the reader scrolls.
    await conversation.evaluate((box) => {
      box.scrollTop = 0;
      box.style.paddingInline = '25%';
    });
    await page.setViewportSize({ width: 800, height: 420 });
    await show.waitFor();
    await show.click();
    await show.waitFor({ state: 'detached' });
    const [box, shown] = await Promise.all([conversation.boundingBox(), card.boundingBox()]);
    if (box === null || shown === null) throw new Error('Something is not on the page');
    expect(shown.y).toBeLessThan(box.y + box.height);
    await card.getByRole('button', { name: 'Allow once', exact: true }).click();
    await chat.status('Done');
    await page
      .getByRole('link', { name: /^Approvals$/ })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  });
});
