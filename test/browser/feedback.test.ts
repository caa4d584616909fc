import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';
import { useConsole } from './use-console.js';

describe('feedback on a turn', () => {
  const on = useConsole();

  async function talk() {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'One');
    await stream.all();
    const turnId = stream.header('x-turn-id');
    const visitor = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(visitor.page);
    const thumb = (name: string) =>
      chat
        .turn(0)
        .getByRole('group', { name: 'Feedback' })
        .getByRole('button', { name, exact: true });
    const pressed = (name: string) =>
      chat.turn(0).getByRole('button', { name, exact: true, pressed: true });
    const stored = async () =>
      (await client.get(`/api/harness/turns/${turnId}/feedback`)).body['feedback'];
    await chat
      .turn(0)
      .getByRole('button', { name: 'Helpful', disabled: false, exact: true })
      .waitFor();
    return { ...visitor, chat, thumb, pressed, stored, turnId };
  }

  it('is given by a thumb, said in words, kept over a reload, and taken back', async () => {
    const { chat, page, thumb, pressed, stored, faults } = await talk();
    await thumb('Not helpful').click();
    await pressed('Not helpful').waitFor();
    await thumb('Add a comment').click();
    const dialog = page.getByRole('dialog', { name: 'Feedback on this turn' });
    expect(await problemsOf(page)).toEqual([]);
    await dialog.getByLabel('Comment').fill('Too long.');
    await takePicture(page, 'feedback-light');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await chat.turn(0).getByText('Too long.').waitFor();
    expect(await stored()).toMatchObject([{ key: 'helpful', value: false, comment: 'Too long.' }]);

    await page.reload();
    await pressed('Not helpful').waitFor();
    await chat.turn(0).getByText('Too long.').waitFor();
    // Another judgement keeps the words.
    await thumb('Helpful').click();
    await pressed('Helpful').waitFor();
    expect(await stored()).toMatchObject([{ key: 'helpful', value: true, comment: 'Too long.' }]);
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(400);
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'feedback-narrow');

    // Words are not taken back by one click.
    await thumb('Helpful').click();
    await dialog.getByRole('button', { name: 'Remove feedback' }).click();
    await chat.turn(0).getByText('Too long.').waitFor({ state: 'detached' });
    expect(await pressed('Helpful').count()).toBe(0);
    expect(await stored()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('without words is taken back by the same thumb, by the keyboard alone', async () => {
    const { page, thumb, pressed, stored } = await talk();
    await thumb('Helpful').focus();
    await page.keyboard.press('Enter');
    await pressed('Helpful').waitFor();
    await page.keyboard.press('Enter');
    await pressed('Helpful').waitFor({ state: 'detached' });
    expect(await stored()).toEqual([]);
  });

  it('that the server refuses is not shown as given', async () => {
    const { chat, thumb, pressed, stored, turnId } = await talk();
    const { client } = on.server;
    for (let index = 0; index < 50; index += 1) {
      await client.request('PUT', `/api/harness/turns/${turnId}/feedback`, {
        body: JSON.stringify({ key: `key-${index}`, value: 1 }),
        headers: { 'content-type': 'application/json' },
      });
    }
    await thumb('Helpful').click();
    await chat.turn(0).getByRole('alert').getByText('FEEDBACK_LIMIT').waitFor();
    expect(await pressed('Helpful').count()).toBe(0);
    expect(await stored()).toHaveLength(50);
  });
});
