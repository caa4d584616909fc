import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { sessions } from '../../src/storage/schema.js';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

describe('the list of sessions', () => {
  const on = useConsole();
  const COUNT = 120;
  beforeAll(async () => {
    const { client, db, projectRoot } = on.server;
    for (let number = 1; number <= COUNT; number += 1) {
      const id = await client.createSession(projectRoot);
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, number));
      const facts = { title: `Report ${number} of ${COUNT}`, updatedAt: at };
      await db.update(sessions).set(facts).where(eq(sessions.id, id));
    }
    const id = await client.createSession(projectRoot);
    const made = { title: 'Every minute', origin: 'schedules' as const };
    await db.update(sessions).set(made).where(eq(sessions.id, id));
  });

  it('reaches all of them: by its end, by words, and those of schedules by choice', async () => {
    const { page, faults } = await on.console.visit();
    const list = page.getByRole('region', { name: 'Sessions' });
    await list.getByText(`Report ${COUNT} of`).waitFor();
    expect(await list.getByText('Every minute').count()).toBe(0);
    for (const reached of [60, 1]) {
      await list.getByRole('listitem').last().scrollIntoViewIfNeeded();
      await list.getByText(`Report ${reached} of`).scrollIntoViewIfNeeded();
    }
    expect(await list.getByRole('listitem').count()).toBe(COUNT);

    await list.getByRole('searchbox').fill('report 7 OF');
    await expectSoon(async () =>
      expect(await list.getByRole('link').allInnerTexts()).toEqual([
        expect.stringContaining('Report 7 of'),
      ]),
    );
    await list.getByRole('searchbox').fill('nowhere');
    await list.getByText('No session has “nowhere”', { exact: false }).waitFor();
    await list.getByRole('searchbox').fill('');
    await list.getByLabel('Which sessions').selectOption('Scheduled');
    await list.getByRole('link', { name: /^Every minute/ }).waitFor();
    await list.getByRole('img', { name: 'Scheduled' }).waitFor();
    await list.getByText(`Report ${COUNT} of`).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('has a session under the title that it is given, and so has the tab', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    // Without a folder.
    await chat.send('A first message [[tokens=2]]');
    await page.waitForURL('**/sessions/*');
    await chat.status('Done');
    await expectSoon(async () =>
      expect(await page.title()).toBe('A first message [[tokens=2]] · Turnpike'),
    );
    await page.getByRole('button', { name: 'Rename session' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename session' });
    await dialog.getByLabel('Title').fill('The annual report');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The annual report' }).waitFor();
    await page.getByRole('link', { name: /^The annual report/ }).waitFor();
    await expectSoon(async () => expect(await page.title()).toBe('The annual report · Turnpike'));
    await page.getByText(/projects\/default$/).waitFor();

    await chat.send('[[tool=write {"file_path":"a.txt","content":"x"}]]');
    await expectSoon(async () => expect(await page.title()).toMatch(/^\(1\) The annual/));
    await page.getByRole('img', { name: 'Waiting for your answer' }).first().waitFor();
    await page.keyboard.press('Alt+a');
    await chat.status('Done', 1);
    await expectSoon(async () => expect(await page.title()).toMatch(/^The annual/));
    expect(await page.evaluate('document.activeElement.id')).toBe('composer');
    expect(faults).toEqual([]);
  });

  it('has no session whose first message was refused', async () => {
    const { page } = await on.console.visit();
    const chat = new ChatPage(page);
    await page.route('**/api/harness/turn', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: JSON.stringify({ error: { type: 'INVALID_REQUEST', message: 'Not this one.' } }),
      }),
    );
    await chat.send('Refused at once');
    await page.getByRole('alert').getByText('Not this one.').waitFor();
    expect(await chat.message.inputValue()).toBe('Refused at once');
    const { body } = await on.server.client.get('/api/harness/sessions?limit=1');
    expect((body['sessions'] as { title?: string }[])[0]?.title).toBe('The annual report');
  });

  it('leads to the console where a browser asks for a page that there is not', async () => {
    const { page, faults } = await on.console.visit('/nonsense');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    expect(faults).toEqual([]);
  });
});
