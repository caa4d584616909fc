import { beforeAll, describe, expect, it } from '@jest/globals';
import type { APIResponse, Route } from 'playwright-core';
import { expectSoon } from '../support/expect-soon.js';
import { makeKey } from '../support/clients/keyed-client.js';
import { ChatPage } from './chat-page.js';
import { isWhole, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('a server that wants a key', () => {
  const on = useConsole();
  let secret: string;
  beforeAll(async () => {
    const scopes = ['turns', 'approvals'];
    ({ secret } = await makeKey(on.server, { principal: 'ann', scopes }));
  });

  it('is asked with the one that was entered, until the tab is closed', async () => {
    const visitor = await on.console.visit();
    const { page, faults } = visitor;
    const dialog = page.getByRole('dialog', { name: 'This server needs an API key' });
    await dialog.waitFor();
    await takePicture(page, 'key-wanted-light');
    await dialog.getByLabel('API key').fill('tpk_wrong');
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.getByText('The server did not accept this key').waitFor();
    await dialog.getByLabel('API key').fill(secret);
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.waitFor({ state: 'detached' });
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, 'Hello [[tokens=3]]');
    await chat.status('Done');
    await page.reload();
    await chat.status('Done');
    expect(await page.evaluate('localStorage.getItem("turnpike.key")')).toBeNull();
    expect(faults).toEqual([]);
  });

  it('is not asked again for a request from before the key', async () => {
    // A page without requests of its own.
    const { page } = await on.console.visit('/health');
    const held = new Promise<{ route: Route; response: APIResponse }>((resolve) => {
      void page.route('**/api/harness/sessions?*', async (route) => {
        if ('authorization' in route.request().headers()) return route.continue();
        resolve({ route, response: await route.fetch() });
      });
    });
    await page.goto('/settings');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill(secret);
    const { route, response } = await held;
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'Remove key' }).waitFor();
    const answered = page.waitForResponse((one) => one.status() === 401);
    await route.fulfill({ response });
    await (await answered).finished();
    // The page has drawn what it made of the answer.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await dialog.count()).toBe(0);
  });

  it('leaves out what the key may not do, and says which scope that needs', async () => {
    const { page } = await on.console.visit('/settings');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill(secret);
    await dialog.getByLabel('Keep it in this browser').check();
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'Remove key' }).waitFor();
    await page.getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' });
    await page.goto('/turns?of=all');
    await page.getByRole('alert').getByText('lacks the scope “admin”').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Remove key' }).click();
    await dialog.waitFor();
    expect(await page.evaluate('localStorage.getItem("turnpike.key")')).toBeNull();
  });

  it('shows a question to a key that may not answer it, without the answers', async () => {
    const talker = await makeKey(on.server, { principal: 'bob', scopes: ['turns'] });
    const { page } = await on.console.visit('/');
    const dialog = page.getByRole('dialog');
    // The field has the focus.
    await dialog.waitFor();
    await page.keyboard.type(talker.secret);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const chat = new ChatPage(page);
    // Without a folder: it is bob's own.
    await chat.send('[[tool=write {"file_path":"a.txt","content":"x"}]]');
    await page.waitForURL('**/sessions/*');
    await page.getByText('it lacks the scope “approvals”').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Allow|Deny)/ }).count()).toBe(0);
    await page.getByText(/\/projects\/bob$/).waitFor();
  });

  it('makes keys for an administrator, changes their limits, and revokes them after a question', async () => {
    const admin = await makeKey(on.server, { principal: 'root', scopes: ['turns', 'admin'] });
    const { page, faults } = await on.console.visit('/keys');
    const entry = page.getByRole('dialog');
    await entry.getByLabel('API key').fill(admin.secret);
    await entry.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const form = page.getByRole('dialog', { name: 'New API key' });
    await form.getByLabel('Principal').fill('carol');
    await form.getByLabel('US$ a day').fill('2.5');
    await form.getByRole('button', { name: 'Create' }).click();
    const secret = (await page.getByText(/^tpk_/).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    const use = () =>
      fetch(`${on.server.url}/api/harness/sessions`, {
        headers: { authorization: `Bearer ${secret}` },
      });
    expect((await use()).status).toBe(200);
    const row = page.getByRole('row', { name: /carol/ });
    await row.getByText('US$ a day: 2.5', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Key of carol' });
    await edit.getByLabel('US$ a day').fill('');
    await edit.getByLabel('Turns at once').fill('3');
    await takePicture(page, 'key-edit-light');
    await edit.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Turns at once: 3', { exact: true }).waitFor();
    expect(await row.getByText('US$ a day').count()).toBe(0);
    await takePicture(page, 'keys-limits-light');
    await row.getByText(/^[0-9a-f]{16}$/).waitFor();
    for (const width of [390, 768, 1_024, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await isWhole(page.getByRole('region', { name: 'API keys' }))]).toEqual([
        width,
        true,
      ]);
      await takePicture(page, `keys-${width}-light`);
    }
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    await expectSoon(async () => expect((await use()).status).toBe(401));
    expect(faults).toEqual([]);
  });
});
