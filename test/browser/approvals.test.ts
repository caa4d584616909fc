import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('an approval', () => {
  const on = useConsole();

  const inProject = (file: string): string => path.join(on.server.projectRoot, file);

  async function ask(file: string) {
    const visitor = await on.console.visit();
    const chat = new ChatPage(visitor.page);
    const input = JSON.stringify({ file_path: file, content: 'x' });
    await chat.begin(on.server.projectRoot, `[[tool=write ${input}]]`);
    const card = chat.tool('write').getByRole('group', { name: 'Allow write to run?' });
    await card.waitFor();
    const press = (name: string) => card.getByRole('button', { name, exact: true }).click();
    return { ...visitor, chat, card, press };
  }

  it('lets the call run, and counts down until it is given', async () => {
    const { chat, card, press, page, faults } = await ask('yes.txt');
    expect(await card.getByRole('timer').innerText()).toMatch(/^Denied automatically in \d+:\d\d$/);
    expect(existsSync(inProject('yes.txt'))).toBe(false);
    await takePicture(page, 'approval-light');
    await press('Allow once');
    await chat.status('Done');
    expect(readFileSync(inProject('yes.txt'), 'utf8')).toBe('x');
    await chat.tool('write').getByText('Allowed by local').waitFor();
    expect(faults).toEqual([]);
  });

  it('is denied with a reason that the model gets', async () => {
    const { chat, card, press, page } = await ask('no.txt');
    await press('Deny');
    await card.getByLabel('Reason, which the model reads (optional)').fill('Not here.');
    await page.keyboard.press('Enter');
    await chat.status('Done');
    expect(existsSync(inProject('no.txt'))).toBe(false);
    expect(await chat.tool('write').getByLabel('Output').innerText()).toContain('Not here.');
  });

  it('runs with another input, which must be an object of JSON and fit the tool', async () => {
    const { chat, card, press } = await ask('asked.txt');
    await press('Edit input');
    const input = card.getByLabel('Input of the tool.');
    const approve = card.getByRole('button', { name: 'Allow with this input' });
    await input.fill('{"file_path": ');
    await card.getByText('This is not JSON').waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await input.fill('{"file_path": 1, "content": "y"}');
    await approve.click();
    await card.getByRole('alert').getByText('file_path must be string').waitFor();
    await input.fill('{"file_path": "edited.txt", "content": "y"}');
    await approve.click();
    await chat.status('Done');
    expect(readFileSync(inProject('edited.txt'), 'utf8')).toBe('y');
    expect(existsSync(inProject('asked.txt'))).toBe(false);
  });

  it('counts for the session', async () => {
    const { chat, press } = await ask('session.txt');
    await press('Allow for this session');
    await chat.status('Done');
    await chat.send('[[tool=write {"file_path":"session.txt","content":"x"}]]');
    await chat.status('Done', 1);
  });

  it('is answered on the list of all, and shows so in the chat', async () => {
    const { chat, context } = await ask('listed.txt');
    const list = await context.newPage();
    await list.goto('/approvals');
    const item = list.getByRole('listitem').filter({ hasText: 'listed.txt' });
    await takePicture(list, 'approvals-light');
    await item.getByRole('button', { name: 'Allow once', exact: true }).click();
    await chat.status('Done');
    await list.getByText('Nothing is waiting for you.').waitFor();
    expect(existsSync(inProject('listed.txt'))).toBe(true);
  });

  it('is told of on a phone, beside the button that opens the pages', async () => {
    const { page, card, press, chat } = await ask('phone.txt');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: '1 approval' }).click();
    await page.waitForURL('**/approvals');
    await page.goBack();
    await card.waitFor();
    await press('Deny');
    await page.keyboard.press('Enter');
    await chat.status('Done');
  });

  it('of a tool of the client’s can be declined only', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const { page } = await on.console.visit(`/sessions/${sessionId}`);
    const clientTools = [{ name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } }];
    const stream = await client.turn(sessionId, '[[tool=pick {}]]', {
      opts: { clientTools, onDisconnect: 'continue' },
    });
    const card = page.getByRole('group', { name: 'Waiting for the application to run pick' });
    await card.waitFor();
    expect(await card.getByRole('button', { name: /Allow|session|Edit/ }).count()).toBe(0);
    await card.getByRole('button', { name: 'Deny' }).click();
    await card.getByRole('button', { name: 'Deny' }).click();
    await stream.all();
    await new ChatPage(page).status('Done');
  });
});

describe('the suggestion that the README names', () => {
  // Without a key, as at the first start.
  const on = useConsole(async () => ({
    environment: {
      ANTHROPIC_API_KEY: '',
      TURNPIKE_PROVIDER_BASE_URL: '',
      TURNPIKE_EGRESS_ALLOW: '',
    },
  }));

  it('asks for an approval, and writes a file', async () => {
    const { page } = await on.console.visit('/');
    const chat = new ChatPage(page);
    await page.getByRole('button', { name: 'Write a file, after your approval' }).click();
    await chat.message.press('Enter');
    const card = chat.tool('write').getByRole('group', { name: 'Allow write to run?' });
    await card.getByRole('button', { name: 'Allow once', exact: true }).click();
    await chat.status('Done');
  });
});
