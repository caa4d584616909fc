import { afterAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '../support/model/start-scripted-model.js';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('a reply in Markdown', () => {
  let model: ScriptedModel;
  const on = useConsole(async () => {
    model = await startScriptedModel();
    const { url } = model;
    return { environment: { TURNPIKE_PROVIDER_BASE_URL: url, TURNPIKE_EGRESS_ALLOW: url } };
  });
  afterAll(() => model.close());

  /** A conversation in which the model says a text. */
  async function reply(text: string) {
    model.script.push({ text });
    const visitor = await on.console.visit();
    const requests: string[] = [];
    visitor.page.on('request', (request) => requests.push(request.url()));
    const chat = new ChatPage(visitor.page);
    await chat.begin(on.server.projectRoot, 'Write.');
    await chat.status('Done');
    return { ...visitor, chat, requests };
  }

  it('has formulas and diagrams, whose libraries come with the first of them', async () => {
    const plain = await reply('Costs **$5** to $7.\n\n```js\nlet a = 1;\n```');
    expect(plain.requests.filter((url) => /katex|diagram/.test(url))).toEqual([]);
    const { chat, page, faults } = await reply(
      'So $x^2$ and \\(y\\), and\n\n$$\n\\int_0^1 x\\,dx\n$$\n\n' +
        '```mermaid\ngraph TD\n  A[Start] --> B{Done?}\n```\n\n```mermaid\nno diagram\n```',
    );
    await chat.conversation.locator('math').nth(2).waitFor();
    const diagram = chat.conversation.getByRole('img', { name: 'Diagram' });
    await diagram.waitFor();
    // What cannot be drawn is shown as it came.
    await chat.conversation.getByText('no diagram').waitFor();
    await takePicture(page, 'markdown-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(page, 'markdown-dark');
    expect(faults).toEqual([]);
  });

  it('scrolls wide tables instead of breaking each word, and says what a picture is', async () => {
    const heads = Array.from({ length: 14 }, (_, index) => `Heading ${index}`);
    const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
    const rule = row(heads.map(() => '---'));
    const cells = row(heads.map(() => 'several words of text'));
    const { chat } = await reply(
      `${row(heads)}\n${rule}\n${cells}\n\n![A chart](https://example.com/a.png)`,
    );
    const cell = chat.conversation.getByRole('cell').first();
    expect((await cell.boundingBox())?.width).toBeGreaterThan(90);
    const picture = chat.conversation.getByRole('link', { name: 'A chart' });
    expect(await picture.getAttribute('title')).toMatch(/not loaded here/);
  });
});

describe('a reply with citations', () => {
  const on = useConsole();

  it('opens the passage of each, and is copied', async () => {
    const { page, context } = await on.console.visit();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, 'Cite [[tokens=2]] [[cite]]');
    await chat.status('Done');
    await chat.turn(0).getByRole('button', { name: 'Source 1: Rehearsal notes' }).click();
    const passage = page.getByRole('dialog', { name: 'Source: Rehearsal notes' });
    await passage.getByRole('blockquote').waitFor();
    await takePicture(page, 'citation-light');
    await page.keyboard.press('Escape');
    await passage.waitFor({ state: 'detached' });

    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await chat.turn(0).getByRole('button', { name: 'Copy reply' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).toMatch(/this is a cited answer\.\s+word1 word2/);
    await page.getByRole('button', { name: 'Copy conversation as Markdown' }).click();
    // The first button may say "Copied" still.
    await expectSoon(async () =>
      expect(await clipboard()).toMatch(/^# Cite [^\n]*\n\n## You\n\nCite [\s\S]*\n\n## Reply\n\n/),
    );
  });
});
