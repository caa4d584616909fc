import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { openTab } from './open-console.js';
import { useConsole } from './use-console.js';

describe('two tabs', () => {
  const on = useConsole();

  it('of one browser show the same turn, whichever it was sent in', async () => {
    const visitor = await on.console.visit();
    const first = new ChatPage(visitor.page);
    await first.begin(on.server.projectRoot, 'One [[tokens=3]]');
    await first.status('Done');
    const second = new ChatPage(await openTab(visitor, new URL(visitor.page.url()).pathname));
    await second.status('Done');

    await second.send('Two [[tokens=100 gap=20]]');
    await first.turn(1).getByText('word5').first().waitFor();
    await first.status('Done', 1);
    await second.status('Done', 1);
    const reply = await first.turn(1).locator('.prose').innerText();
    expect(reply).toContain('word100');
    expect(await second.turn(1).locator('.prose').innerText()).toBe(reply);
    expect(visitor.faults).toEqual([]);
  });

  it('of two people do, too, a little later', async () => {
    const { page } = await on.console.visit();
    const first = new ChatPage(page);
    await first.begin(on.server.projectRoot, 'One [[tokens=3]]');
    await first.status('Done');
    const other = await on.console.visit(new URL(page.url()).pathname);
    const second = new ChatPage(other.page);
    await second.status('Done');
    await first.send('Two [[tokens=3000 gap=20]]');
    await second.turn(1).getByText('word2 ').first().waitFor();
    // Each tab may stop the turn.
    await other.page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await first.status('Stopped', 1);
    await second.status('Stopped', 1);
  });

  it('show a turn that a program begins while the page reads the messages', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const { page } = await on.console.visit();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    await page.route('**/messages?*', async (route) => {
      await begun;
      await route.continue();
    });
    // What is asked for beside the messages is answered before the turn begins.
    const asked = page.waitForResponse(`**/api/harness/session/${sessionId}`);
    await page.goto(`/sessions/${sessionId}`, { waitUntil: 'commit' });
    await asked;
    const stream = await client.turn(sessionId, '[[tool=write {"file_path":"a","content":"b"}]]', {
      opts: { onDisconnect: 'continue' },
    });
    await stream.until('turn:parked');
    begin();
    await new ChatPage(page).tool('write').getByRole('button', { name: 'Allow once' }).waitFor();
  });
});
