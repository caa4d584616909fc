import type { Locator, Page } from 'playwright-core';

/** The chat as its user sees it: elements by their accessible names. */
export class ChatPage {
  readonly message: Locator;
  readonly conversation: Locator;

  constructor(readonly page: Page) {
    this.message = page.getByRole('textbox', { name: 'Message' });
    this.conversation = page.getByRole('region', { name: 'Conversation' });
  }

  /** Opens a chat from the first page. */
  async begin(folder: string, message: string, agent?: string): Promise<void> {
    await this.page.getByLabel('Folder').fill(folder);
    if (agent !== undefined) await this.page.getByLabel('Agent').selectOption(agent);
    await this.send(message);
    try {
      await this.page.waitForURL('**/sessions/*', { waitUntil: 'commit' });
    } catch (cause) {
      const shown = await this.page.locator('body').innerText();
      throw new Error(`The session was not begun; the page shows: ${shown}`, { cause });
    }
  }

  /** Turns that follow this think. */
  async think(): Promise<void> {
    await this.page.getByRole('button', { name: 'Thinking', exact: true }).click();
  }

  async send(message: string): Promise<void> {
    await this.message.fill(message);
    await this.message.press('Enter');
  }

  turn(index: number): Locator {
    return this.conversation.getByRole('article').nth(index);
  }

  /** Waits until the status of a turn has these words. */
  async status(words: string, index = 0): Promise<void> {
    await this.turn(index).getByText(words, { exact: true }).waitFor();
  }

  /** The text of user and agent in a turn, without the controls. */
  async text(index = 0): Promise<string> {
    return this.turn(index).innerText();
  }

  tool(name: string): Locator {
    return this.conversation.getByRole('region', { name: `Tool ${name}` });
  }
}
