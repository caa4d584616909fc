import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the chat', () => {
  const on = useConsole();

  async function begin(message: string) {
    const visitor = await on.console.visit();
    const chat = new ChatPage(visitor.page);
    await chat.begin(on.server.projectRoot, message);
    return { ...visitor, chat };
  }

  const lastWord = (text: string): string => /word(\d+)(?!.*word)/s.exec(text)?.[1] ?? '';

  it('makes a session, streams the reply, and lists it', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    await chat.think();
    await page.getByLabel('Effort').selectOption('low');
    const message = 'Say words [[think=5]] [[tokens=60 gap=5]] [[cite]]';
    await chat.begin(on.server.projectRoot, message);
    await chat.status('Done');
    expect(await chat.text()).toContain('word60');
    expect(await chat.text()).toMatch(/this is a cited answer\.\[1\]\s*\n\s*word1 /);
    const thinking = chat.conversation.getByText('Thinking');
    expect(await page.getByText('thought1').isVisible()).toBe(false);
    await thinking.click();
    expect(await chat.conversation.getByRole('region', { name: 'Sources' }).count()).toBe(1);
    await page.getByRole('region', { name: 'Sessions' }).getByText('Say words').waitFor();
    await takePicture(page, 'chat-light');
    expect(faults).toEqual([]);
  });

  it('shows everything of a turn after a reload in its middle, and goes on', async () => {
    const { chat, page, faults } = await begin('Slowly [[tokens=60 gap=50]]');
    await chat.conversation.getByText('word20').first().waitFor();
    await page.reload();
    await chat.conversation.getByText('word21').first().waitFor();
    expect(await chat.text()).toContain('Slowly');
    expect(await chat.text()).toContain('word1 word2 word3');
    await chat.status('Done');
    expect(lastWord(await chat.text())).toBe('60');
    await page.reload();
    await chat.status('Done');
    expect(lastWord(await chat.text())).toBe('60');
    expect(faults).toEqual([]);
  });

  it('runs the next turn with the model that was chosen, and shows what the session has come to', async () => {
    const { chat, page, faults } = await begin('First [[tokens=3]]');
    await chat.status('Done');
    const meter = page.getByRole('group', { name: 'Model, context and cost' });
    await meter.getByText('claude-sonnet-5-5').waitFor();
    await meter.getByText(/\/ 1M$/).waitFor();
    await meter.getByText(/^\$0\.\d{2,4}$/).waitFor();
    await page.getByRole('combobox', { name: 'Model' }).selectOption('claude-haiku-4-5-20251001');
    await chat.send('Second [[tokens=3]]');
    await meter.getByText('claude-haiku-4-5-20251001').waitFor();
    await meter.getByText(/\/ 200k$/).waitFor();
    await chat.status('Done', 1);
    await page.reload();
    await meter.getByText('claude-haiku-4-5-20251001').waitFor();
    expect(on.server.modelRequests.map(({ body }) => body.model)).toEqual(
      expect.arrayContaining(['claude-sonnet-5-5', 'claude-haiku-4-5-20251001']),
    );
    expect(faults).toEqual([]);
  });

  it('stops by Escape, and keeps what was said', async () => {
    const { chat, page } = await begin('On and on [[tokens=2000 gap=50]]');
    await chat.conversation.getByText('word5').first().waitFor();
    // On a phone, the buttons of the composer are in one row, and the one that sends is at the right.
    await page.setViewportSize({ width: 390, height: 844 });
    const boxOf = (name: string) => page.getByRole('button', { name }).boundingBox();
    const sending = await boxOf('Send (Enter)');
    expect(sending?.x).toBeGreaterThan(320);
    for (const name of ['Attach files', 'Thinking', 'Stop (Esc)']) {
      const { y = 0, height = 0 } = (await boxOf(name)) ?? {};
      expect([name, Math.abs(y + height / 2 - (sending?.y ?? 0) - 16) < 4]).toEqual([name, true]);
    }
    await takePicture(page, 'chat-390-light');
    await page.keyboard.press('Escape');
    await chat.status('Stopped');
    expect(await chat.text()).toContain('word5');
    await page.getByRole('button', { name: 'Stop (Esc)' }).waitFor({ state: 'detached' });
  });

  it('sends what is written meanwhile after the turn, or into it', async () => {
    const { chat, page } = await begin('First [[tokens=60 gap=200]]');
    await chat.conversation.getByText('word5').first().waitFor();
    await chat.send('Second [[tokens=3]]');
    await chat.turn(1).getByText(/queue/i).waitFor();
    await chat.status('Done', 0);
    await chat.status('Done', 1);
    expect(await chat.text(1)).toContain('word3');

    await chat.send('Third [[tokens=60 gap=200]]');
    await chat.turn(2).getByText('word5').first().waitFor();
    await chat.message.fill('And mind this');
    await page.getByLabel('When the message is sent').selectOption('steer');
    await chat.message.press('Enter');
    await chat.turn(2).getByText('You added: And mind this').waitFor();
    await chat.status('Done', 2);
    expect(await chat.conversation.getByRole('article').count()).toBe(3);
  });

  it('says what to do where a message is not taken, and sends it again', async () => {
    const { page } = await on.console.visit();
    const chat = new ChatPage(page);
    await page.getByLabel('Folder').fill('/no/such/folder');
    await chat.send('Hello');
    await page.getByRole('alert').getByText('WORKING_ROOT_INACCESSIBLE').waitFor();
    expect(await chat.message.inputValue()).toBe('Hello');

    await chat.begin(on.server.projectRoot, 'Hello');
    await chat.status('Done');
    // The second request for a turn is refused once, as by a gateway that has no server.
    await page.route('**/api/harness/turn', (route) => route.abort(), { times: 1 });
    await chat.send('Once more [[tokens=2]]');
    await chat.status('Done', 1);
    expect(await chat.text(1)).toContain('word2');
  });

  it('says why a turn failed and what to do, and asks again where that may help', async () => {
    const { chat, page } = await begin('Fail [[fail=529 after=3]]');
    await chat.status('Failed');
    const note = chat.turn(0).getByRole('alert');
    expect(await note.innerText()).toMatch(
      /Rehearsed failure 529\. Wait, then send the turn again\./,
    );
    expect(await note.innerText()).toContain('SDK_FAILURE · OVERLOADED');
    expect(await note.innerText()).not.toContain('Reload');
    await page.getByRole('button', { name: 'Try again' }).click();
    await chat.status('Failed', 1);
    await page.reload();
    await chat.turn(0).getByRole('alert').getByText('OVERLOADED').waitFor();

    await chat.send('Fail [[fail=400]]');
    await chat.status('Failed', 2);
    await page
      .getByTitle('Tokens that the next model call starts from')
      .getByText(/^Context [1-9].* \/ 1M$/)
      .waitFor();
    const refusal = chat.turn(2).getByRole('alert');
    expect(await refusal.innerText()).toContain('The same message would fail again.');
    expect(await refusal.getByRole('button').count()).toBe(0);
  });

  it('offers no composer for a session that is not there, or not any more', async () => {
    const nowhere = '/sessions/sess_00000000-0000-4000-8000-000000000000';
    const { page } = await on.console.visit(nowhere);
    await page.getByRole('heading', { name: 'Session not found' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete session' }).count()).toBe(0);

    const sessionId = await on.server.client.createSession(on.server.projectRoot);
    await page.goto(`/sessions/${sessionId}`);
    await page.getByText('No messages yet.').waitFor();
    await on.server.client.request('DELETE', `/api/harness/session/${sessionId}`);
    await page.getByRole('heading', { name: 'Session not found' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Start a session' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
  });

  it('runs a tool in a card with its input, its change and its output', async () => {
    const { page } = await on.console.visit();
    const chat = new ChatPage(page);
    await page.getByLabel('Permissions').selectOption('acceptEdits');
    await chat.begin(
      on.server.projectRoot,
      '[[tool=write {"file_path":"a.txt","content":"one\\ntwo"}]]',
    );
    await chat.status('Done');
    await page.getByTitle('Permissions').getByText('Allow edits', { exact: true }).waitFor();
    const card = chat.tool('write');
    await card.getByText('+2').waitFor();
    expect(await card.getByLabel('Changes of a.txt').innerText()).toContain('two');
    expect(await card.getByLabel('Output').innerText()).toContain('a.txt');
    await card.getByRole('button', { name: /write/ }).first().click();
    await card.getByLabel('Output').waitFor({ state: 'detached' });
  });

  it('leaves the folder to who writes it, whatever comes meanwhile', async () => {
    const { page } = await on.console.visit('/settings');
    let arrive = (): void => undefined;
    const asked = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/api/harness/sessions?*', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto('/');
    const folder = page.getByLabel('Folder');
    await folder.focus();
    await page.keyboard.type('/tmp/a');
    arrive();
    await page.getByRole('link', { name: /^Say words/ }).waitFor();
    expect(await folder.inputValue()).toBe('/tmp/a');
    await folder.fill('');
    expect(await folder.inputValue()).toBe('');
  });

  it('saves a session with its turns, and deletes it', async () => {
    const { chat, page } = await begin('To be kept');
    await chat.status('Done');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export session' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^sess_[0-9a-f-]+\.jsonl$/);
    const file = path.join(on.server.projectRoot, saved.suggestedFilename());
    await saved.saveAs(file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([
      expect.stringContaining('"turnpike-export"'),
      '{"type":"end","sessions":1}',
    ]);
    expect(lines.join('\n')).toContain('To be kept');
    await page.getByRole('button', { name: 'Delete session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.getByRole('link', { name: /To be kept/ }).waitFor({ state: 'detached' });
  });
});
