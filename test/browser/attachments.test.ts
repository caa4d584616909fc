import { describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { TurnpikeClient } from '../../src/client/turnpike-client.js';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { openTab, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Makes a script that gives files to the page by drop or by paste. */
const giveFiles = (event: string, target: string, kind: 'drop' | 'paste'): string => `
  (() => {
    const bytes = Uint8Array.from(atob('${png}'), (c) => c.charCodeAt(0));
    const given = new DataTransfer();
    given.items.add(new File(['# Notes'], 'notes.md', { type: 'text/markdown' }));
    given.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
    const init = { bubbles: true, cancelable: true, ${kind === 'drop' ? 'dataTransfer' : 'clipboardData'}: given };
    const made = new ${kind === 'drop' ? 'DragEvent' : 'ClipboardEvent'}('${event}', init);
    document.querySelector('${target}').dispatchEvent(made);
  })()`;

describe('attachments', () => {
  const on = useConsole();

  const chosen = (page: Page) => page.getByRole('list', { name: 'Attachments' });
  const sent = (page: Page) => chosen(page).getByRole('progressbar').first();

  /** Opens both files of the first turn: the picture is drawn, the text is readable, and both can be saved. */
  async function openFiles(page: Page): Promise<void> {
    const turn = new ChatPage(page).turn(0);
    const widthOf = (img: object): number => (img as { naturalWidth: number }).naturalWidth;
    // An image is visible before it is loaded.
    const isDrawn = (img: Locator) =>
      expectSoon(async () => expect(await img.evaluate(widthOf)).toBe(1));
    const chip = turn.getByRole('button', { name: /dot\.png/ });
    await isDrawn(chip.locator('img'));
    await chip.click();
    const picture = page.getByRole('dialog', { name: 'dot.png' });
    await isDrawn(picture.getByRole('img', { name: 'dot.png' }));
    await picture.getByRole('link', { name: 'Save dot.png' }).waitFor();
    await page.keyboard.press('Escape');
    await turn.getByRole('button', { name: /notes\.md/ }).click();
    const text = page.getByRole('dialog', { name: 'notes.md' });
    await text.getByText('# Notes').waitFor();
    const saving = page.waitForEvent('download');
    await text.getByRole('link', { name: 'Save notes.md' }).click();
    expect((await saving).suggestedFilename()).toBe('notes.md');
    await page.keyboard.press('Escape');
  }

  /** A session whose one message is a file without a text. */
  async function sendFileAlone(): Promise<string> {
    const client = new TurnpikeClient({ url: on.server.url });
    const file = await client.uploads.send(new File(['# Notes'], 'notes.md'));
    const sessionId = await on.server.client.createSession(on.server.projectRoot);
    await (await client.turn({ sessionId, message: '', attachments: [file] })).result();
    return sessionId;
  }

  it('are dropped, shown with a preview, sent, opened in each page and tab, and sent again with an edited message', async () => {
    const visitor = await on.console.visit();
    const { page, faults } = visitor;
    const chat = new ChatPage(page);
    await page.evaluate(giveFiles('dragover', 'main', 'drop'));
    await page.getByText('Drop files to attach them').waitFor();
    await page.evaluate(giveFiles('drop', 'main', 'drop'));
    await chosen(page).getByText('notes.md').waitFor();
    await chosen(page).locator('img').waitFor();
    await sent(page).waitFor({ state: 'detached' });
    await takePicture(page, 'attachments-light');
    await chat.begin(on.server.projectRoot, 'Look at these');
    await chat.status('Done');
    expect(await chat.text()).toContain('Attachments: 2');
    expect(await chat.text()).toContain('dot.png');

    await openFiles(page);
    await page.reload();
    await openFiles(page);
    await openFiles(await openTab(visitor, page.url()));

    await chat.turn(0).getByRole('button', { name: 'Regenerate' }).click();
    await chat.turn(0).getByText('2 / 2').waitFor();
    await chat.status('Done');
    expect(await chat.text()).toContain('Attachments: 2');
    await page.reload();
    await chat.status('Done');
    await chat.turn(0).getByRole('button', { name: 'Edit message' }).click();
    await page.keyboard.press('Enter');
    await chat.turn(0).getByText('3 / 3').waitFor();
    await chat.status('Done');
    expect(await chat.text()).toContain('Attachments: 2');
    expect(faults).toEqual([]);
  });

  it('are pasted, chosen and removed', async () => {
    const { page } = await on.console.visit();
    await page.evaluate(giveFiles('paste', 'textarea', 'paste'));
    await chosen(page).getByText('dot.png').waitFor();
    await page.getByRole('button', { name: 'Remove dot.png' }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('more') });
    await chosen(page).getByText('more.txt').waitFor();
    expect(await chosen(page).getByRole('listitem').count()).toBe(2);
  });

  it('that the server does not take say why', async () => {
    const { page } = await on.console.visit();
    await page.locator('input[type=file]').setInputFiles({
      name: 'program.exe',
      mimeType: 'application/x-msdownload',
      buffer: Buffer.from('MZ\u0000\u0001\u0002 not for a model'),
    });
    const refusal = chosen(page).getByRole('alert');
    await refusal.waitFor();
    expect(await refusal.innerText()).not.toContain('No file was taken');
    expect(await refusal.innerText()).not.toContain('program.exe');
    expect(await refusal.innerText()).toMatch(/^[A-Z].{10,}/);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send (Enter)' }).isEnabled()).toBe(true);
  });

  it('that are too large are refused before anything is sent', async () => {
    const { page } = await on.console.visit();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    await page.getByText(/^Works in/).waitFor();
    await page.locator('input[type=file]').setInputFiles({
      name: 'large.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(11 * 1024 * 1024, 'a'),
    });
    await chosen(page).getByText('Too large: 11.0 MiB; a file may have 10.0 MiB.').waitFor();
    expect(requests.filter((one) => one.includes('/attachments'))).toEqual([]);
  });

  it('whose content is gone say so', async () => {
    const sessionId = await sendFileAlone();
    const { page } = await on.console.visit(`/sessions/${sessionId}`);
    await page.route('**/api/harness/attachments/*', (route) =>
      route.fulfill({
        status: 404,
        json: { type: 'x', code: 'ATTACHMENT_NOT_FOUND', detail: 'There is no such file.' },
      }),
    );
    const chat = new ChatPage(page);
    await chat.turn(0).getByRole('button', { name: 'notes.md' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  it('alone are a message that is sent again after a reload', async () => {
    const sessionId = await sendFileAlone();
    const { page, faults } = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(page);
    await chat.turn(0).getByRole('button', { name: 'Regenerate' }).click();
    await chat.turn(0).getByText('2 / 2').waitFor();
    await chat.status('Done');
    expect(await chat.text()).toContain('Attachments: 1');
    expect(faults).toEqual([]);
  });
});
