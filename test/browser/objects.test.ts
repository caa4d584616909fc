import { describe, expect, it } from '@jest/globals';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { problemsOf } from './page-problems.js';
import { useConsole } from './use-console.js';

const schema = {
  type: 'object',
  required: ['city', 'people'],
  properties: { city: { type: 'string' }, people: { type: 'integer' } },
};

describe('the object of a turn', () => {
  const on = useConsole();

  /** Opens the session of a turn that runs. */
  async function run(message: string, output: object) {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, message, {
      opts: { output, onDisconnect: 'continue' },
    });
    const visitor = await on.console.visit(`/sessions/${sessionId}`);
    const chat = new ChatPage(visitor.page);
    return {
      ...visitor,
      chat,
      stream,
      object: chat.turn(0).getByRole('region', { name: 'Object' }),
    };
  }

  it('is shown as JSON in place of its text, and again after a reload', async () => {
    const paris = JSON.stringify({
      city: `Paris ${'on the Seine '.repeat(40)}`,
      people: 2_100_000,
    });
    const { chat, page, object, stream, faults } = await run(`Where? [[output=${paris}]]`, {
      schema,
    });
    await chat.status('Done');
    await stream.all();
    await object.getByText('"people"').waitFor();
    const whole = await object.getByLabel('Code: json').innerText();
    expect(JSON.parse(whole)).toEqual(JSON.parse(paris));
    // The text of the reply is the object: it is not there twice.
    expect((await chat.text()).split('"people"')).toHaveLength(3);
    await page.reload();
    await object.getByText('"people"').waitFor();
    expect(JSON.parse(await object.getByLabel('Code: json').innerText())).toEqual(
      JSON.parse(paris),
    );
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'object-light');
    expect(faults).toEqual([]);
  });

  it('is asked for again by Regenerate, with the options of its turn and what is changed in the composer', async () => {
    const { chat, page, object, stream, faults } = await run('Where? [[output={"city":"Rome"}]]', {
      schema: { type: 'object', properties: { city: { type: 'string' } } },
      repairs: 0,
    });
    await chat.status('Done');
    await stream.all();
    await object.getByText('"Rome"').waitFor();
    await page.getByRole('button', { name: 'Thinking', exact: true }).click();
    await chat.turn(0).getByRole('button', { name: 'Regenerate' }).click();
    await chat.turn(0).getByText('2 / 2').waitFor();
    await chat.status('Done');
    await object.getByText('"Rome"').waitFor();
    const { body } = await on.server.client.get(
      `/api/harness/sessions/${new URL(page.url()).pathname.split('/').at(-1)}/turns`,
    );
    const [latest] = body['turns'] as { turnId: string }[];
    const { turn } = (await on.server.client.get(`/api/harness/turns/${latest?.turnId}`)).body;
    expect(turn).toMatchObject({
      options: { output: { repairs: 0 }, citations: false, thinking: true },
      provenance: { output: 'opts', citations: 'default', thinking: 'opts' },
    });
    expect(faults).toEqual([]);
  });

  it('is not there where the reply was none: the reply is shown as it came, and why', async () => {
    const { chat, page, object, faults } = await run('Where? [[output=prose]]', {
      schema,
      repairs: 0,
    });
    await chat.status('Failed');
    const reply = chat.turn(0).getByLabel('Reply as it came');
    await reply.waitFor();
    expect(await reply.innerText()).toMatch(/prose/);
    await chat.turn(0).getByRole('alert').getByText('OUTPUT_INVALID').waitFor();
    expect(await object.count()).toBe(0);
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'object-invalid');
    expect(faults).toEqual([]);
  });
});
