import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { openTab, takePicture } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';
import { useConsole } from './use-console.js';

describe('a message that is edited', () => {
  const on = useConsole();

  /** A session whose messages were answered. */
  async function talk(...messages: string[]) {
    const visitor = await on.console.visit();
    const chat = new ChatPage(visitor.page);
    const [first = '', ...others] = messages;
    await chat.begin(on.server.projectRoot, first);
    await chat.status('Done');
    for (const [index, message] of others.entries()) {
      await chat.send(message);
      await chat.status('Done', index + 1);
    }
    return { ...visitor, chat };
  }

  async function edit(chat: ChatPage, index: number, message: string): Promise<void> {
    await chat.turn(index).getByRole('button', { name: 'Edit message' }).click();
    const field = chat.turn(index).getByRole('textbox', { name: 'Edited message' });
    await field.fill(message);
    await field.press('Enter');
  }

  const switchOf = (chat: ChatPage, index: number) =>
    chat.turn(index).getByRole('group', { name: 'Versions' });
  const count = (chat: ChatPage) => chat.conversation.getByRole('article').count();

  it('replaces its turn and what followed, in every tab; both versions stay readable', async () => {
    const { chat, page, faults, context } = await talk('One', 'Two [[tokens=3]]', 'Three');
    const other = new ChatPage(
      await openTab({ page, faults, context }, new URL(page.url()).pathname),
    );
    await other.status('Done', 2);
    await edit(chat, 1, 'Two again [[tokens=6]]');
    await chat.turn(1).getByText('word6').first().waitFor();
    await chat.status('Done', 1);
    for (const tab of [chat, other]) {
      await switchOf(tab, 1).getByText('2 / 2').waitFor();
      await tab.turn(2).waitFor({ state: 'detached' });
      expect(await count(tab)).toBe(2);
      expect(await tab.conversation.innerText()).not.toContain('Three');
    }
    await chat.turn(1).getByRole('button', { name: 'Earlier version' }).focus();
    await page.keyboard.press('Enter');
    await chat.turn(2).getByText('Three', { exact: true }).waitFor();
    // The focus stays on the switch, which steps on.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await switchOf(chat, 1).getByText('2 / 2').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await chat.turn(2).getByText('Three', { exact: true }).waitFor();
    await chat
      .turn(1)
      .getByText(/Earlier version: the model does not see/)
      .waitFor();
    expect(await chat.turn(1).getByRole('button', { name: 'Edit message' }).count()).toBe(0);
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'version-light');
    // The next message goes into the conversation.
    await chat.send('Four');
    await chat.status('Done', 2);
    expect(await chat.text(1)).toContain('Two again');
    expect(JSON.stringify(on.server.modelRequests.at(-1)?.body.messages)).not.toContain('Three');
    await page.reload();
    await switchOf(chat, 1).getByText('2 / 2').waitFor();
    expect(await count(chat)).toBe(3);
    expect(faults).toEqual([]);
  });

  it('is compared with what it was, side by side', async () => {
    const { chat, page, faults } = await talk('Fruit [[tokens=3]]', 'Later');
    await edit(chat, 0, 'Vegetables [[tokens=5]]');
    await chat.turn(0).getByText('word5').first().waitFor();
    await chat.status('Done');
    await chat.turn(0).getByRole('button', { name: 'Versions side by side' }).click();
    const dialog = page.getByRole('dialog', { name: 'Versions side by side' });
    const left = dialog.getByRole('region', { name: 'Left version' });
    const right = dialog.getByRole('region', { name: 'Right version' });
    await left.getByText('Fruit').waitFor();
    await left.getByText('Later', { exact: true }).waitFor();
    await right.getByText('Vegetables').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'versions-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(page, 'versions-dark');
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(400);
    await takePicture(page, 'versions-narrow');
    await left.getByRole('combobox').selectOption({ label: 'Version 2, in the conversation' });
    await left.getByText('Vegetables').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('is asked again by Regenerate, and leaves the files as they are', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot, { mode: 'acceptEdits' });
    const { page, faults } = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(page);
    await chat.send('Write [[tool=write {"file_path":"kept.txt","content":"x"}]]');
    await chat.status('Done');
    await chat.turn(0).getByRole('button', { name: 'Regenerate' }).click();
    await switchOf(chat, 0).getByText('2 / 2').waitFor();
    const notice = chat.turn(0).getByRole('note', { name: 'Notice' });
    await notice.getByText('Note to the model: files were not changed back: kept.txt').click();
    await notice.getByText(/Files were not reverted/).waitFor();
    expect(await notice.innerText()).toContain('\n\n- kept.txt\n\nRead a file again');
    await chat.status('Done');
    expect(await count(chat)).toBe(1);
    expect(faults).toEqual([]);
  });

  it('waits with what the server says while a turn runs, and is sent again after', async () => {
    const { chat, page } = await talk('One');
    await chat.send('Two [[tokens=2000 gap=20]]');
    await chat.turn(1).getByText('word5').first().waitFor();
    await edit(chat, 0, 'One again');
    const refused = chat.turn(2).getByRole('alert');
    await refused.getByText('TURN_IN_PROGRESS').waitFor();
    expect(await chat.text(2)).toContain('One again');
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await chat.status('Stopped', 1);
    await refused.getByRole('button', { name: 'Try again' }).click();
    await switchOf(chat, 0).getByText('2 / 2').waitFor();
    await chat.status('Done', 0);
    await chat.turn(1).waitFor({ state: 'detached' });
    expect(await count(chat)).toBe(1);
  });

  it('is left as it was by Escape, which does not stop a turn', async () => {
    const { chat, page } = await talk('One');
    await chat.send('Two [[tokens=2000 gap=20]]');
    await chat.turn(1).getByText('word5').first().waitFor();
    const button = chat.turn(0).getByRole('button', { name: 'Edit message' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(' or two');
    const field = chat.turn(0).getByRole('textbox', { name: 'Edited message' });
    expect(await field.inputValue()).toBe('One or two');
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'edit-light');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await chat.text(0)).not.toContain('or two');
    const focused = chat.turn(0).locator('button:focus');
    expect(await focused.getAttribute('aria-label')).toBe('Edit message');
    expect(await page.getByRole('button', { name: 'Stop (Esc)' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Stop (Esc)' }).click();
    await chat.status('Stopped', 1);
  });
});
