import { describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';
import { useConsole } from './use-console.js';

describe('a fork', () => {
  const on = useConsole();

  /** A session of two turns, at the dialog that forks from its first. */
  async function ask(...messages: string[]) {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot, { mode: 'acceptEdits' });
    for (const message of messages) await (await client.turn(sessionId, message)).all();
    const visitor = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(visitor.page);
    await chat.status('Done');
    await chat.turn(0).getByRole('button', { name: 'Fork from here' }).click();
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fork', exact: true }).waitFor();
    return { ...visitor, chat, dialog, sessionId };
  }

  const articles = (chat: ChatPage) => chat.conversation.getByRole('article').count();

  it('has the turns up to its point, and a link to where it comes from, until that is gone', async () => {
    const { chat, page, dialog, sessionId, faults } = await ask('One', 'Two');
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'fork-light');
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(sessionId));
    const source = chat.conversation.getByRole('link', { name: 'another session' });
    await source.waitFor();
    await chat.status('Done');
    expect(await articles(chat)).toBe(1);
    expect(await chat.text()).toContain('One');
    await chat.send('On from here');
    await chat.status('Done', 1);
    expect(await problemsOf(page)).toEqual([]);
    const fork = page.url();
    await source.click();
    await page.waitForURL(`**/sessions/${sessionId}`);
    await chat.status('Done', 1);
    expect(await articles(chat)).toBe(2);

    await on.server.client.request('DELETE', `/api/harness/session/${sessionId}`);
    await page.goto(fork);
    await chat.conversation
      .getByText('Forked after a turn of a session that was deleted.')
      .waitFor();
    expect(await source.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('before a turn has none of it, and says which files stay as later turns wrote them', async () => {
    const { chat, page, dialog, sessionId, faults } = await ask(
      'Write [[tool=write {"file_path":"later.txt","content":"x"}]]',
    );
    await dialog.getByLabel('Before this turn').check();
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    const kept = page.getByRole('dialog', { name: 'Files stay as they are' });
    expect(await kept.getByRole('list').innerText()).toBe('later.txt');
    expect(await problemsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(400);
    await takePicture(page, 'fork-narrow');
    await kept.getByRole('button', { name: 'Open the fork' }).click();
    await chat.conversation.getByText('Forked before a turn of').waitFor();
    expect(new URL(page.url()).pathname).not.toContain(sessionId);
    expect(await articles(chat)).toBe(0);
    await chat.send('Begin anew');
    const notice = chat.turn(0).getByRole('note', { name: 'Notice' });
    await notice.getByText('Note to the model: files were not changed back: later.txt').waitFor();
    expect(faults).toEqual([]);
  });

  it('whose answer was lost is asked for again, and made once', async () => {
    const { page, dialog, sessionId } = await ask('One');
    const loseAnswer = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.abort();
    };
    await page.route('**/fork', loseAnswer, { times: 1 });
    const fork = dialog.getByRole('button', { name: 'Fork', exact: true });
    await fork.click();
    await dialog.getByRole('alert').getByText('The server does not answer.').waitFor();
    await fork.click();
    await page.waitForURL((url) => !url.pathname.endsWith(sessionId));
    const { body } = await on.server.client.get('/api/harness/sessions');
    const forks = (body['sessions'] as { forkedFrom?: { sessionId: string } }[]).filter(
      ({ forkedFrom }) => forkedFrom?.sessionId === sessionId,
    );
    expect(forks).toHaveLength(1);
  });
});
