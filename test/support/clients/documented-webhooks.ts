import { expect } from '@jest/globals';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../scripts/services/free-port.mjs';
import { expectSoon } from '../expect-soon.js';
import type { TestServer } from '../processes/start-server.js';
import type { DocumentedPage, Run } from './documented-page.js';
import { startReceiver, type Received } from '../webhooks/start-receiver.js';

/** The packages of tests, as receivers would have theirs. */
const packages = fileURLToPath(new URL('../../', import.meta.url));

interface Made {
  webhook: { id: string };
  secret: string;
}

const base = '/api/harness/webhooks';

async function withWebhook<T>(
  { client }: TestServer,
  url: string,
  work: (secret: string) => Promise<T>,
): Promise<T> {
  const { body } = await client.post(base, { url, events: ['turn.ended'] });
  const { webhook, secret } = body as unknown as Made;
  try {
    return await work(secret);
  } finally {
    await client.request('DELETE', `${base}/${webhook.id}`);
  }
}

async function runTurn({ client, projectRoot }: TestServer): Promise<void> {
  await (await client.turn(await client.createSession(projectRoot), 'Hello')).all();
}

/** The body that a receiver is sent of a turn's end. */
async function sendEnd(server: TestServer): Promise<Received['body']> {
  const receiver = await startReceiver();
  try {
    return await withWebhook(server, receiver.url, async () => {
      await runTurn(server);
      await expectSoon(() => expect(receiver.received).toHaveLength(1));
      const [first] = receiver.received;
      if (first === undefined) throw new Error('Nothing came');
      return first.body;
    });
  } finally {
    await receiver.close();
  }
}

/**
 * Runs a documented receiver, which listens on port 8080, at a free one: it takes a turn's end, and refuses what is
 * signed with no secret of its own.
 *
 * @returns what it printed.
 */
async function receiveAs(server: TestServer, command: readonly string[]): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const [program = '', ...given] = command.map((part) => part.replace('8080', String(port)));
  return withWebhook(server, url, async (secret) => {
    const receiver = spawn(program, given, {
      cwd: packages,
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    receiver.stdout.on('data', (chunk) => (output += String(chunk)));
    try {
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': 'v1,AAAA',
      };
      await expectSoon(async () => {
        expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
      });
      await runTurn(server);
      await expectSoon(() => expect(output).toMatch(/turn\.ended[^]*completed/));
      return output;
    } finally {
      receiver.kill('SIGKILL');
    }
  });
}

/** What the blocks of the page about webhooks do, in order. */
export function webhookUses(server: TestServer, page: DocumentedPage): Run[] {
  return [
    async (code) => {
      const output = await page.shell(code);
      const { webhook, secret } = JSON.parse(output) as Made;
      expect(secret).toMatch(/^whsec_/);
      page.names['hook_6b0f…'] = webhook.id;
      return output;
    },
    async (code) => {
      const shown = JSON.parse(code) as Received['body'];
      const sent = await sendEnd(server);
      expect([Object.keys(sent), Object.keys(sent.data)]).toEqual(
        [shown, shown.data].map((part) => Object.keys(part)),
      );
      return '';
    },
    (code) => receiveAs(server, [process.execPath, '--input-type=module', '-e', code]),
    (code) => receiveAs(server, ['python3', '-c', code]),
    page.prints('{"deliveries":[]}', '"type":"webhook.test"'),
  ];
}
