import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { words } from '../support/clients/run-example.js';
import { startChatExample } from '../support/clients/start-chat-example.js';
import { useServer } from '../support/processes/start-server.js';
import { openConsole } from './open-console.js';
import { useShared } from '../support/suite.js';

describe('the example of a chat with React', () => {
  const server = useServer();
  const site = useShared(() => startChatExample(server.url));
  const browser = useShared(() => openConsole(site.url));

  const send = async (page: Page, message: string): Promise<void> => {
    await page.getByLabel('Message').fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });
  const ends = (page: Page): Promise<void> =>
    page.getByRole('status').getByText('Ready', { exact: true }).waitFor();

  it('streams an answer, and has the chat after a reload', async () => {
    const { page, faults } = await browser.visit('/#reloaded');
    await send(page, 'Count. [[tokens=12 gap=10]]');
    await answers(page).getByText('word12').waitFor();
    await ends(page);
    await send(page, 'Once more. [[tokens=3]]');
    await answers(page).nth(1).getByText('word3').waitFor();
    await ends(page);
    const shown = await page.getByRole('article').allTextContents();
    expect(shown).toEqual([
      'Count. [[tokens=12 gap=10]]',
      words(12).trim(),
      'Once more. [[tokens=3]]',
      words(3).trim(),
    ]);
    await page.reload();
    await answers(page).nth(1).waitFor();
    expect(await page.getByRole('article').allTextContents()).toEqual(shown);
    expect(faults).toEqual([]);
  });

  it('goes on in the middle of an answer after a reload', async () => {
    const { page, faults } = await browser.visit('/#middle');
    await send(page, 'Count. [[tokens=150 gap=20]]');
    await page.getByText('word20 ').waitFor();
    await page.reload();
    await page.getByText('word150').waitFor();
    await ends(page);
    expect(await answers(page).allTextContents()).toEqual([words(150).trim()]);
    expect(faults).toEqual([]);
  });

  it('asks before a tool call runs, also after a reload', async () => {
    const { page, faults } = await browser.visit('/#asks');
    await send(page, '[[tool=write {"file_path":"react.txt","content":"Hello"}]]');
    const call = page.getByRole('region', { name: 'Approval of write' });
    await call.getByLabel('Changes').getByText('Hello').waitFor();
    const streams: string[] = [];
    page.on('request', (sent) =>
      streams.push(...(sent.url().endsWith('/stream') ? [sent.url()] : [])),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await answers(page).getByText('write: wrote 5 bytes').waitFor();
    await ends(page);
    expect(await call.count()).toBe(0);
    // A stream up to the question would make the message anew, and undo the click on the way.
    expect(streams).toEqual([]);
    expect(await answers(page).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('stops a turn, and says what went wrong with another', async () => {
    const { page, faults } = await browser.visit('/#stops');
    await send(page, 'On and on. [[tokens=5000 gap=20]]');
    await page.getByText('word5 ').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers(page).getByText('interrupted').waitFor();
    await send(page, '[[fail=400]]');
    await answers(page).nth(1).getByText('failed').waitFor();
    await page.getByRole('alert').getByText('The provider').waitFor();
    expect(faults).toEqual([]);
  });
});
