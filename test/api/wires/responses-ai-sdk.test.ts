import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import {
  aiSdks,
  type AiSdkMessage,
  type SaidByAiSdk,
} from '../../support/clients/ai-sdk-openai.js';
import { KeyedClient, keyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

const user = (content: string): AiSdkMessage => ({ role: 'user', content });
const approve = (approvalId: string): AiSdkMessage => ({
  role: 'tool',
  content: [{ type: 'tool-approval-response', approvalId, approved: true, providerExecuted: true }],
});
const cases = Object.entries(aiSdks).flatMap(([name, open]) =>
  [true, false].flatMap((store) =>
    [true, false].map((isStream) => ({ name, open, store, isStream })),
  ),
);

describe('conversations by @ai-sdk/openai', () => {
  const server = useServer();
  let people = 0;

  /** A principal of its own, and its conversation. */
  async function begin(open: (typeof cases)[number]['open']) {
    const principal = `person-${(people += 1)}`;
    const { secret } = await makeKey(server, { principal, scopes: ['turns', 'approvals'] });
    return { principal, client: new KeyedClient(server.url, secret), ...open(server.url, secret) };
  }

  const sessionsOf = async (client: KeyedClient): Promise<{ sessionId: string }[]> => {
    const { body } = await client.send('GET', '/api/harness/sessions');
    return body['sessions'] as { sessionId: string }[];
  };
  const sent = () => JSON.stringify(server.modelRequests.at(-1)?.body.messages);
  const timesIn = (text: string, part: string) => text.split(part).length - 1;
  const refusalOf = async (asked: Promise<SaidByAiSdk>) => {
    const error: unknown = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const { statusCode, responseBody = '{}' } = error as Record<string, unknown>;
    const body = JSON.parse(String(responseBody)) as { error?: Record<string, unknown> };
    const { param, message = inspect(error) } = body.error ?? {};
    return { status: statusCode, param, message };
  };
  /** A conversation of one reply that the package names by its id from then on. */
  const beginKept = async (open: (typeof cases)[number]['open']) => {
    const one = await begin(open);
    const first = user('[[tokens=3]] one');
    const kept = { model: 'reader', store: true, isStream: false };
    const said = await one.ask({ ...kept, messages: [first] });
    return { ...one, kept, messages: [first, ...said.messages, user('two')] };
  };

  it.each(cases)(
    'go on over steps and messages: $name, store $store, stream $isStream',
    async ({ open, store, isStream }) => {
      const { client, ask, inputs } = await begin(open);
      const asked = { model: 'reader', store, isStream };
      const question = user(
        '[[think=4]] [[tokens=3 step=1]] [[tool=add {"a":1,"b":2}]] [[tool=multiply {"a":3,"b":4} step=2]]',
      );
      const first = await ask({ ...asked, messages: [question] });
      expect([first.steps, first.text]).toEqual([
        3,
        'The tools answered:\n- add: 3\n- multiply: 12',
      ]);
      const messages = [question, ...first.messages, user('and now?')];
      const second = await ask({ ...asked, messages });
      expect(second.text).toContain('You wrote: "and now?"');
      const last = await ask({
        ...asked,
        messages: [...messages, ...second.messages, user('bye')],
      });
      expect(last.text).toContain('You wrote: "bye"');
      const references = inputs.at(-1)?.filter(({ type }) => type === 'item_reference');
      expect((references?.length ?? 0) > 0).toBe(store);
      // The server has it all already: nothing that the client names or sends again comes to the history.
      expect(await sessionsOf(client)).toHaveLength(1);
      for (const part of ['word1 word2 word3', 'The tools answered:', 'You wrote: \\"and now?']) {
        expect([part, timesIn(sent(), part)]).toEqual([part, 1]);
      }
    },
  );

  it.each(cases)(
    'take approvals of server tools: $name, store $store, stream $isStream',
    async ({ open, store, isStream }) => {
      const { client, ask } = await begin(open);
      const asked = { model: 'WORKING_ITEMS', store, isStream };
      const question = user('[[tool=write {"file_path":"a.txt","content":"x"}]]');
      const first = await ask({ ...asked, messages: [question] });
      expect(first.approvals).toEqual([expect.stringMatching(/^appr_/)]);
      const messages = [question, ...first.messages, ...first.approvals.map(approve)];
      const second = await ask({ ...asked, messages });
      expect(second.text).toBe('The tools answered:\n- write: wrote 1 bytes to a.txt');
      const third = await ask({
        ...asked,
        messages: [...messages, ...second.messages, user('and now?')],
      });
      expect(third.text).toContain('You wrote: "and now?"');
      expect(timesIn(sent(), '"wrote 1 bytes to a.txt"')).toBe(1);
      expect(await sessionsOf(client)).toHaveLength(1);
    },
  );

  it.each(Object.entries(aiSdks))(
    'are refused where they name an item of another principal, as one that never was: %s',
    async (_name, open) => {
      const { kept, messages } = await beginKept(open);
      const stranger = await begin(open);
      const foreign = await refusalOf(stranger.ask({ ...kept, messages }));
      expect(foreign).toMatchObject({ status: 404, param: 'input[1].id' });
      const [named] = stranger.inputs.at(-1)?.filter(({ type }) => type === 'item_reference') ?? [];
      const id = named?.id ?? '';
      const never = id.replace(/[0-9a-f]{12}(?=_)/, '000000000000');
      const unknown = await stranger.client.send('POST', '/v1/responses', {
        model: 'reader',
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: never },
        ],
      });
      expect([unknown.status, unknown.body['error']]).toMatchObject([
        404,
        { param: 'input[1].id', message: String(foreign.message).replace(id, never) },
      ]);
    },
  );

  it.each(Object.entries(aiSdks))(
    'are refused once what they name was erased: %s',
    async (_name, open) => {
      const refused = { status: 404, param: 'input[1].id', message: expect.any(String) };
      const deleted = await beginKept(open);
      const [session] = await sessionsOf(deleted.client);
      const path = `/api/harness/session/${session?.sessionId ?? ''}`;
      expect((await deleted.client.send('DELETE', path)).status).toBeLessThan(300);
      const after = deleted.ask({ ...deleted.kept, messages: deleted.messages });
      expect(await refusalOf(after)).toEqual(refused);

      const erased = await beginKept(open);
      const admin = await keyedClient(server, { principal: 'operator', scopes: ['admin'] });
      const principal = `/api/admin/principals/${erased.principal}`;
      expect((await admin.send('DELETE', principal)).status).toBe(200);
      const again = { principal: erased.principal, scopes: ['turns'] };
      const { secret } = await makeKey(server, again);
      const reborn = open(server.url, secret).ask({ ...erased.kept, messages: erased.messages });
      expect(await refusalOf(reborn)).toEqual(refused);
    },
  );
});
