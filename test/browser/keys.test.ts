import { beforeAll, describe, expect, it } from '@jest/globals';
import type { APIResponse, Route } from 'playwright-core';
import { makeKey } from '../support/clients/keyed-client.js';
import { ChatPage } from './chat-page.js';
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
    await dialog.getByLabel('API key').fill('tpk_wrong');
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await dialog.getByText('The API key is not one of this server').waitFor();
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
    await page.getByRole('button', { name: 'Forget it' }).waitFor();
    const answered = page.waitForResponse((one) => one.status() === 401);
    await route.fulfill({ response });
    await (await answered).finished();
    // The page has drawn what it made of the answer.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await dialog.count()).toBe(0);
  });

  it('says what scope the queue needs', async () => {
    const { page } = await on.console.visit('/settings');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill(secret);
    await dialog.getByLabel('Keep it in this browser').check();
    await dialog.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('link', { name: 'Queue' }).click();
    await page.getByRole('alert').getByText("scope 'admin'").waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await dialog.waitFor();
    expect(await page.evaluate('localStorage.getItem("turnpike.key")')).toBeNull();
  });
});
