import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

/** Replays streams of recorded turns, for events that a rehearsal cannot be scripted to have. */
describe('a recorded turn', () => {
  const on = useConsole();
  const begin = async (message: string) => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, message);
    return { sessionId, turnId: stream.header('x-turn-id'), stream };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;
  let ended: Begun;
  let running: Begun;
  beforeAll(async () => {
    ended = await begin('Do it');
    await ended.stream.all();
    running = await begin('[[tokens=8]] [[stall=600000]]');
    await running.stream.until('chat:delta');
  });

  /** Sends the frames of a recording: all at once for an ended turn, or up to one, and the others on request, for a running turn. */
  async function show(name: string, until?: string) {
    const { sessionId, turnId } = until === undefined ? ended : running;
    const file = new URL(`../golden/harness/${name}.txt`, import.meta.url);
    const frames = readFileSync(file, 'utf8')
      .trim()
      .split('\n\n')
      .map((frame) => frame.replace(/^id: [^:]*/m, `id: ${turnId}`));
    const visitor = await on.console.visit('/settings');
    const at =
      until === undefined ? -1 : frames.findIndex((one) => one.startsWith(`event: ${until}`));
    const parts = at === -1 ? [frames] : [frames.slice(0, at), frames.slice(at)];
    let next = (): void => undefined;
    const asked = new Promise<void>((resolve) => (next = resolve));
    let count = 0;
    await visitor.page.route(`**/turns/${turnId}/events`, async (route) => {
      const part = parts[count] ?? [];
      count += 1;
      if (count > 1) await asked;
      const body = part.map((frame) => `${frame}\n\n`).join('');
      await route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body });
    });
    await visitor.page.goto(`/sessions/${sessionId}`);
    return { ...visitor, chat: new ChatPage(visitor.page), next };
  }

  it('that lost its worker takes back what its step had said', async () => {
    const { chat, next, faults } = await show('recovered-after-a-crash', 'step:discard');
    await chat.conversation.getByText('Let me ch', { exact: true }).waitFor();
    await chat.page.getByText(/Recovering/).waitFor();
    next();
    await chat.conversation.getByText('Let me ch', { exact: true }).waitFor({ state: 'detached' });
    await chat.conversation.getByText('I will check.').waitFor();
    expect(faults).toEqual([]);
  });

  it('says in a line what the model is told, and in full on demand', async () => {
    const { chat, page } = await show('limited-by-iterations');
    const notice = chat.conversation.getByRole('note', { name: 'Notice' });
    const warning = notice.getByText('Warning to the model: 2 of 3 steps left');
    await warning.waitFor();
    await notice.getByText('Warning to the model: 10,000 of 50,000 tokens left').waitFor();
    const words = notice.getByText(/Consider wrapping up your response/);
    expect(await words.isVisible()).toBe(false);
    await warning.click();
    await words.waitFor();
    expect(await notice.getByRole('button').count()).toBe(0);
    expect(await notice.getByRole('textbox').count()).toBe(0);
    await takePicture(page, 'notices-light');
    await chat.turn(0).getByText('Stopped by a limit: max turns').waitFor();
  });

  it('says once that a limit ended it, and why', async () => {
    const { chat } = await show('limited-by-its-own-reason');
    await chat
      .turn(0)
      .getByText(/^Stopped by a limit: /)
      .waitFor();
    expect(
      await chat
        .turn(0)
        .getByText(/3 files were read/)
        .count(),
    ).toBe(1);
    await chat
      .turn(0)
      .getByText(/^\[Stopped: 3 files were read/)
      .waitFor();
  });

  it('that ends with an object shows it as far as it has come, then whole', async () => {
    const { chat, next, faults } = await show('ends-with-an-object', 'output:final');
    const object = chat.conversation.getByRole('region', { name: 'Object' });
    await object.getByText('so far').waitFor();
    await object.getByText('"city": "Paris"').waitFor();
    next();
    await object.getByText('so far').waitFor({ state: 'detached' });
    await chat.status('Done');
    expect(JSON.parse(await object.getByLabel('Code: json').innerText())).toMatchObject({
      city: 'Paris',
    });
    expect(faults).toEqual([]);
  });

  it('nests a subagent in the card of its call, and says what files were not taken', async () => {
    const { chat } = await show('limited-and-everything-else');
    const card = chat.tool('task');
    await card.getByText('REVIEWER', { exact: true }).click();
    await card.getByText('Looks fine.').waitFor();
    await chat.conversation.getByText(/big\.pdf was refused/).waitFor();
    await chat.conversation.getByText('Mind the tests').waitFor();
  });
});
