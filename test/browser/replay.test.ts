import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

const other = 'claude-haiku-4-5-20251001';

describe('two turns side by side', () => {
  const on = useConsole();
  let sessionId: string;
  let turnId: string;
  const run = async (message: string): Promise<string> => {
    const stream = await on.server.client.turn(sessionId, message);
    await stream.all();
    return stream.header('x-turn-id');
  };
  beforeAll(async () => {
    sessionId = await on.server.client.createSession(on.server.projectRoot);
    turnId = await run('[[tool=glob {"pattern":"*.md"}]] [[tokens=40]]');
  });
  const has = (within: Locator, text: string | RegExp) => within.getByText(text).first().waitFor();
  const interrupt = (id: string) => on.server.client.post(`/api/harness/turns/${id}/interrupt`, {});

  it('are a turn and its replay, which is begun in the conversation', async () => {
    const { page, faults } = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(page);
    await chat.turn(0).getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay this turn' });
    await dialog.getByLabel('Model').selectOption(other);
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.waitForURL(`**/turns/${turnId}/compare/turn_*`);
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByRole('row', { name: new RegExp(`^Model .* ${other} differs$`) }).waitFor();
    await facts.getByRole('row', { name: /^Outcome completed.* completed.* same$/ }).waitFor();
    await facts.getByRole('row', { name: /^Calls without a recorded result – 0$/ }).waitFor();
    const calls = page.getByRole('region', { name: 'Tool calls' });
    await has(calls, 'same');
    expect(await calls.getByRole('listitem').count()).toBe(1);
    expect(await page.getByRole('article', { name: 'Reply: Replay' }).innerText()).not.toBe('');
    await takePicture(page, 'compare-replay-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 900 });
    await takePicture(page, 'compare-replay-narrow');
    expect(faults).toEqual([]);
  });

  it('offer no replay of a replay, in its own session', async () => {
    const path = `/api/harness/turns/${turnId}/replay`;
    const { body } = await on.server.client.post(path, {});
    const { sessionId: replayed, turnId: id } = body['turn'] as Record<string, string>;
    const { page } = await on.console.visit(`/sessions/${replayed}`);
    const chat = new ChatPage(page);
    await chat.status('Done', (await chat.conversation.getByRole('article').count()) - 1);
    await chat.conversation.getByRole('link', { name: 'Timeline' }).last().waitFor();
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    expect((await on.server.client.post(`/api/harness/turns/${id}/replay`, {})).status).toBe(400);
  });

  it('are shown while the replay runs, from its first words to its end', async () => {
    const stalled = await on.server.client.turn(sessionId, '[[tokens=8]] [[stall=60000]]');
    await stalled.until('chat:delta');
    const id = stalled.header('x-turn-id');
    await interrupt(id);
    await stalled.all();
    const { page } = await on.console.visit(`/turns/${id}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay this turn' });
    await dialog.getByLabel('Tools').selectOption('No tools');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    const reply = page.getByRole('article', { name: 'Reply: Replay' });
    await reply.getByRole('paragraph').first().waitFor();
    expect(await reply.getAttribute('aria-busy')).toBe('true');
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByRole('row', { name: /^Outcome interrupted.* running differs$/ }).waitFor();
    const replay = page.url().split('/').at(-1) ?? '';
    await interrupt(replay);
    await facts.getByRole('row', { name: /^Outcome interrupted.* interrupted.* same$/ }).waitFor();
    await expectSoon(async () => expect(await reply.getAttribute('aria-busy')).toBe('false'));
    await page.getByRole('link', { name: 'Timeline' }).first().click();
    const replays = page.getByRole('region', { name: 'Replays' });
    await has(replays, /without tools/);
    await replays.getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL(`**/turns/${id}/compare/${replay}`);
    await page.getByRole('link', { name: 'Timeline' }).last().click();
    await page.getByRole('link', { name: 'Compare with the recorded turn' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
  });

  it('are any two of the caller’s, with the calls that one has alone, and their texts by line', async () => {
    const second = await run(
      '[[tool=glob {"pattern":"*.ts"}]] [[tool=read {"file_path":"none.md"}]] [[tokens=30]]',
    );
    const { page, faults } = await on.console.visit(`/turns/${turnId}/compare/${second}`);
    const calls = page.getByRole('region', { name: 'Tool calls' });
    await has(calls, 'input differs');
    await has(calls, 'only right');
    await calls.getByText('Input', { exact: true }).last().click();
    await has(calls.getByLabel('Input of read, Right'), /none\.md/);
    await page.getByRole('button', { name: 'Line by line' }).click();
    await page.getByRole('group', { name: 'Changes of Left to Right' }).waitFor();
    await takePicture(page, 'compare-lines-light');
    expect(faults).toEqual([]);
    await page.goto(`/turns/${turnId}/compare/turn_00000000-0000-4000-8000-000000000000`);
    await has(page.getByRole('alert'), 'TURN_NOT_FOUND');
  });

  it('say why a turn is not replayed, and keep what was chosen', async () => {
    const { page } = await on.console.visit(`/turns/${turnId}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay this turn' });
    await dialog.getByLabel('Model').selectOption(other);
    await on.server.client.request('DELETE', `/api/harness/session/${sessionId}`);
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await has(dialog.getByRole('alert'), 'TURN_NOT_FOUND');
    expect(await dialog.getByLabel('Model').inputValue()).toBe(other);
  });
});
