import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import {
  VERSION_FIELD,
  type AiSdkVersion,
} from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import {
  headlessChats,
  inEachVersion,
  type HeadlessChat,
} from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';

const origin = 'https://app.example';

describe('the versions of the AI SDK wire', () => {
  const server = useServer(() => ({ environment: { TURNPIKE_CORS_ORIGINS: origin } }));

  const named = (version: string) => ({ [VERSION_FIELD]: version });
  const at = (path: string): string => `${server.url}/api/chat${path}`;
  function send(id: string, text: string, headers: object = {}, query = ''): Promise<Response> {
    const message = { id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] };
    const { projectRoot } = server;
    return fetch(at(query), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ id, messages: [message], projectRoot }),
    });
  }
  const framesOf = async (response: Response): Promise<string[]> =>
    (await response.text()).split('\n\n').slice(0, -1);
  const idOf = (frame: string | undefined): string => /^id: (.*)$/m.exec(frame ?? '')?.[1] ?? '';
  const comeBack = (id: string, version: string, lastEventId: string): Promise<Response> =>
    fetch(at(`/${id}/stream`), { headers: { ...named(version), 'last-event-id': lastEventId } });

  it('are named by a header or the query, and all but three are refused', async () => {
    const id = randomUUID();
    const [frame] = await framesOf(await send(id, '[[tokens=2]]', named('7')));
    expect(idOf(frame)).toMatch(/^7;turn_/);
    const [other] = await framesOf(await send(id, 'Hi', {}, `?${VERSION_FIELD}=7-steering`));
    expect(idOf(other)).toMatch(/^7-steering;turn_/);
    const [oldest] = await framesOf(await send(id, 'Hi'));
    expect(idOf(oldest)).toMatch(/^turn_/);
    const refused = [
      await send(id, 'Hi', named('5')),
      await fetch(at(`/${id}/stream`), { headers: named('8') }),
      await fetch(at(`/${id}?${VERSION_FIELD}=latest`)),
      await fetch(at(`/${id}?${VERSION_FIELD}=6`), { headers: named('7') }),
    ];
    for (const response of refused) {
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { type: 'INVALID_REQUEST', message: expect.stringContaining(VERSION_FIELD) } },
      ]);
    }
  });

  it('do not mix: after a frame of another one comes the whole turn', async () => {
    const id = randomUUID();
    const frames = await framesOf(await send(id, '[[tokens=4]]', named('7')));
    const rest = await framesOf(await comeBack(id, '7', idOf(frames[1])));
    expect(rest.slice(1)).toEqual(frames.slice(2));
    const [, ...whole] = await framesOf(await comeBack(id, '6', idOf(frames[1])));
    expect(whole).toEqual(frames.map((frame) => frame.replace(/^id: 7;/, 'id: ')));
    const [, ...again] = await framesOf(await comeBack(id, '7', idOf(whole.at(-1))));
    expect(again).toEqual(frames);
    // The last frame is of this version: there is nothing after it.
    expect((await comeBack(id, '7', idOf(frames.at(-1)))).status).toBe(204);
  });

  it('may change within a turn: a question of one is answered in another', async () => {
    const id = randomUUID();
    const ask = '[[tool=write {"file_path":"changed.txt","content":"x"}]]';
    await (await send(id, ask)).text();
    const { body } = await server.client.get(`/api/chat/${id}?${VERSION_FIELD}=7`);
    const page = new headlessChats['7']({
      url: server.url,
      id,
      messages: body['messages'] as never,
    });
    const [part] = page.partsOf('dynamic-tool');
    const approval = part?.['approval'] as { id: string; requestReason: string };
    expect(approval.requestReason).toContain('needs an approval');
    await page.addToolApprovalResponse({ id: approval.id, approved: true });
    await page.ended();
    expect([page.error, page.metadata['outcome']]).toEqual([undefined, 'completed']);
  });

  it('may be named by pages of other origins', async () => {
    const asked = 'content-type,x-turnpike-ai-sdk';
    const preflight = await fetch(at(''), {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toBe(asked);
  });

  it('take a picture for what its bytes are, where its type says no more than that it is one', async () => {
    const picture = { width: 2, height: 2, channels: 3 as const, background: 'red' };
    const bytes = await sharp({ create: picture }).png().toBuffer();
    const url = `data:image;base64,${bytes.toString('base64')}`;
    const chat = new headlessChats['7']({ url: server.url, id: randomUUID() });
    await chat.sendMessage({ text: 'Look', files: [{ type: 'file', mediaType: 'image', url }] });
    expect(chat.error).toBeUndefined();
    const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    expect(sent).toContain('"media_type":"image/png"');
  });

  describe('are each come back to while an answer comes', () => {
    type Options = Partial<ConstructorParameters<(typeof headlessChats)['7']>[0]>;
    const openOf =
      (version: AiSdkVersion) =>
      (options: Options = {}): HeadlessChat =>
        new headlessChats[version]({
          url: server.url,
          id: randomUUID(),
          body: { projectRoot: server.projectRoot },
          ...options,
        });

    it('in the middle, by a page that kept its messages and by one that did not', () =>
      inEachVersion(async (version) => {
        const open = openOf(version);
        const chat = open();
        const sending = chat.sendMessage({ text: '[[tokens=150 gap=20]]' });
        await chat.until(() => chat.text.includes('word20'));
        const kept = open({ id: chat.id, messages: structuredClone(chat.messages) });
        const bare = open({ id: chat.id });
        await Promise.all([kept.resumeStream(), bare.resumeStream(), sending]);
        expect(chat.text).toContain('word150');
        for (const page of [kept, bare]) {
          expect(page.error).toBeUndefined();
          expect(page.lastMessage).toEqual(chat.lastMessage);
        }
        expect([kept.messages.length, bare.messages.length]).toEqual([2, 1]);
      }));

    it('after an answer, with what was before it, once', () =>
      inEachVersion(async (version) => {
        const open = openOf(version);
        const chat = open();
        const write = `[[tool=write {"file_path":"deep-${version}.txt","content":"x"}]]`;
        await chat.sendMessage({ text: `[[tokens=100 gap=20]] ${write}` });
        const [part] = chat.partsOf('dynamic-tool');
        expect(part?.['state']).toBe('approval-requested');
        const { id } = Object(part?.['approval']) as { id: string };
        await chat.addToolApprovalResponse({ id, approved: true });
        await chat.until(() => chat.partsOf('step-start').length > 1);
        const page = open({ id: chat.id });
        await page.resumeStream();
        await chat.ended();
        const shape = ({ parts }: HeadlessChat): unknown[] =>
          parts.map((part) => [part.type, 'text' in part ? part.text : '']);
        expect(shape(page)).toEqual(shape(chat));
      }));

    it('a message steered into it, with what follows, as a message of its own', () =>
      inEachVersion(async (version) => {
        const id = randomUUID();
        const chat = openOf(version)({ id });
        const answered = chat.sendMessage({ text: '[[tokens=400 gap=20]]' });
        await chat.until(() => chat.text.includes('word3'));
        const steered = await fetch(`${server.url}/api/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            id,
            messages: [{ id: 'm2', role: 'user', parts: [{ type: 'text', text: 'And this' }] }],
            opts: { onBusy: 'steer' },
          }),
        });
        const stream = await steered.text();
        expect(/^data: (.*)$/m.exec(stream)?.[1]).toContain('"type":"start"');
        expect(stream).toMatch(/"messageId":"[^"]*:msg_/);
        expect(stream).not.toContain('word400');
        expect(stream).toMatch(/data: \[DONE\]\s*$/);
        await answered;
        expect(chat.text).toContain('word400');
      }));
  });
});
