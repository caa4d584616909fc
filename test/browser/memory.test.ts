import { describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { KeyedClient } from '../support/clients/keyed-client.js';
import { expectSoon } from '../support/expect-soon.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

const base = '/api/harness/memory';

describe('the memory', () => {
  const on = useConsole(async () => ({ environment: { TURNPIKE_MEMORY_FILE_BYTES: '2048' } }));
  const fileOf = (agent: string, path: string): string =>
    `${base}/${agent}/file?path=${encodeURIComponent(path)}`;
  const put = async (agent: string, path: string, content: string, isNew = true) => {
    const headers = isNew ? { 'if-none-match': '*' } : { 'if-match': '*' };
    const owner = new KeyedClient(on.server.url);
    const { status } = await owner.send('PUT', fileOf(agent, path), { content }, headers);
    expect(status).toBe(200);
  };
  const stored = async (agent: string, path: string): Promise<unknown> => {
    const { status, body } = await on.server.client.get(fileOf(agent, path));
    return status === 200 ? (body['file'] as { content: string }).content : status;
  };
  const has = (within: Locator, text: string | RegExp) => within.getByText(text).first().waitFor();
  const fileIn = (page: Page, agent: string, path: string) =>
    page.getByRole('listitem', { name: agent }).getByRole('listitem', { name: path });

  it('lists the files of each agent with their quota, and shows one as text, never as HTML', async () => {
    const html = '<img src="/nothing.png" onerror="document.title=1"><b>bold</b>';
    await put('READER', '/memories/page.html', html);
    await on.server.client
      .turn(
        await on.server.client.createSession(on.server.projectRoot),
        '[[tool=memory {"command":"create","path":"/memories/turn.md","file_text":"From a turn"}]]',
        { opts: { memory: true } },
      )
      .then((stream) => stream.all());
    const { page, faults } = await on.console.visit('/memory');
    await has(
      page.getByRole('listitem', { name: 'READER' }),
      /^1 of 100 files · \d+ B of 1\.0 MiB$/,
    );
    const file = fileIn(page, 'READER', '/memories/page.html');
    await has(file, /by you/);
    await file.getByRole('button', { name: '/memories/page.html' }).click();
    await has(file.getByLabel('Text of /memories/page.html'), html);
    expect(await file.locator('img, b').count()).toBe(0);
    await takePicture(page, 'memory-file-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 800 });
    await takePicture(page, 'memory-file-narrow');
    await fileIn(page, 'WORKING_ITEMS', '/memories/turn.md')
      .getByRole('link', { name: 'by a turn' })
      .click();
    await page.waitForURL('**/turns/*');
    expect(faults).toEqual([]);
  });

  it('takes the place of the version that was opened, and of no other', async () => {
    await put('EDITOR', '/memories/notes.md', 'one\ntwo\n');
    const { page, faults } = await on.console.visit('/memory');
    const file = fileIn(page, 'EDITOR', '/memories/notes.md');
    await file.getByRole('button', { name: '/memories/notes.md' }).click();
    await file.getByRole('button', { name: 'Edit' }).click();
    const text = file.getByRole('textbox', { name: 'Text of /memories/notes.md' });
    await text.fill('one\nmine\n');
    await put('EDITOR', '/memories/notes.md', 'one\ntheirs\n', false);
    await file.getByRole('button', { name: 'Save' }).click();
    await has(file.getByRole('alert'), /Somebody changed the file after you opened it/);
    const changes = file.getByRole('group', { name: 'Changes of /memories/notes.md' });
    await has(changes, 'theirs');
    expect(await text.inputValue()).toBe('one\nmine\n');
    expect(await stored('EDITOR', '/memories/notes.md')).toBe('one\ntheirs\n');
    await takePicture(page, 'memory-conflict-light');
    await file.getByRole('button', { name: 'Replace version' }).click();
    await text.waitFor({ state: 'detached' });
    await has(file.getByLabel('Text of /memories/notes.md'), /mine/);
    expect(await stored('EDITOR', '/memories/notes.md')).toBe('one\nmine\n');
    expect(faults).toEqual([]);
  });

  it('keeps what is typed into a file that is deleted meanwhile', async () => {
    await put('LONER', '/memories/only.md', 'old');
    const { page } = await on.console.visit('/memory');
    const file = fileIn(page, 'LONER', '/memories/only.md');
    await file.getByRole('button', { name: '/memories/only.md' }).click();
    await file.getByRole('button', { name: 'Edit' }).click();
    const text = file.getByRole('textbox', { name: 'Text of /memories/only.md' });
    await text.fill('typed');
    const asked = page.waitForResponse((response) => response.url().endsWith(base));
    await on.server.client.request('DELETE', `${base}/LONER`);
    await asked;
    await has(page.getByRole('listitem', { name: 'LONER' }), /^0 of 100 files/);
    expect(await text.inputValue()).toBe('typed');
    await file.getByRole('button', { name: 'Save' }).click();
    await has(file.getByRole('alert'), /The file was deleted after you opened it/);
    await file.getByRole('button', { name: 'Save as a new file' }).click();
    await text.waitFor({ state: 'detached' });
    await has(file.getByLabel('Text of /memories/only.md'), 'typed');
    expect(await stored('LONER', '/memories/only.md')).toBe('typed');
  });

  it('asks before a link, another file or the browser takes away what is typed', async () => {
    await put('KEEPER', '/memories/draft.md', 'old');
    await put('KEEPER', '/memories/other.md', 'other');
    const { page } = await on.console.visit('/usage');
    await page.getByRole('button', { name: 'More' }).click();
    // A server without keys shows where the first one is made.
    await page.getByRole('link', { name: 'API keys' }).waitFor();
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    const file = fileIn(page, 'KEEPER', '/memories/draft.md');
    await file.getByRole('button', { name: '/memories/draft.md' }).click();
    await file.getByRole('button', { name: 'Edit' }).click();
    const text = file.getByRole('textbox', { name: 'Text of /memories/draft.md' });
    const questions: string[] = [];
    let leaves = false;
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (leaves ? dialog.accept() : dialog.dismiss());
    });
    await text.fill('typed');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await fileIn(page, 'KEEPER', '/memories/other.md')
      .getByRole('button', { name: '/memories/other.md' })
      .click();
    await page.evaluate('history.back()');
    await expectSoon(() => expect(questions).toHaveLength(3));
    expect(new Set(questions)).toEqual(
      new Set(['Your changes to /memories/draft.md are not saved. Leave anyway?']),
    );
    expect([await text.inputValue(), new URL(page.url()).pathname]).toEqual(['typed', '/memory']);
    leaves = true;
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.waitForURL('**/usage');
    // Nothing is typed any more: nothing is asked.
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    await page.waitForURL('**/memory');
    expect(questions).toHaveLength(4);
    expect(await stored('KEEPER', '/memories/draft.md')).toBe('old');
  });

  it('takes new files, none in place of another, and none that is too long', async () => {
    await put('WRITER', '/memories/there.md', 'stays');
    const { page } = await on.console.visit('/memory');
    await page.getByRole('listitem', { name: 'WRITER' }).waitFor();
    await page.getByRole('button', { name: 'New file' }).click();
    const dialog = page.getByRole('dialog', { name: 'New memory file' });
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Agent').selectOption('WRITER');
    await dialog.getByLabel('Path').fill('/memories/there.md');
    await dialog.getByLabel('Text').fill('mine');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await has(dialog, 'A file with this path exists. Open it to change it.');
    await dialog.getByLabel('Path').fill('/etc/passwd');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await has(dialog.getByRole('alert'), /'path' must be the path of a file below \/memories/);
    await dialog.getByLabel('Path').fill('/memories/new.md');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const file = fileIn(page, 'WRITER', '/memories/new.md');
    await file.getByRole('button', { name: '/memories/new.md' }).click();
    await file.getByRole('button', { name: 'Edit' }).click();
    await file.getByRole('textbox').fill('x'.repeat(2_049));
    await has(file, 'This is longer than a memory file may be.');
    expect(await file.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await file.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await has(file.getByLabel('Text of /memories/new.md'), 'mine');
    expect(await stored('WRITER', '/memories/there.md')).toBe('stays');
  });

  it('deletes a file, and all that an agent keeps, after a question', async () => {
    await put('GONER', '/memories/a.md', 'a');
    await put('GONER', '/memories/b.md', 'b');
    const { page, faults } = await on.console.visit('/memory');
    const file = fileIn(page, 'GONER', '/memories/a.md');
    await file.getByRole('button', { name: '/memories/a.md' }).click();
    await file.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await file.waitFor({ state: 'detached' });
    expect(await stored('GONER', '/memories/a.md')).toBe(404);
    const card = page.getByRole('listitem', { name: 'GONER' });
    await card.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await card.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
