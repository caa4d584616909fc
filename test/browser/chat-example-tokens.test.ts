import { describe, expect, it } from '@jest/globals';
import { sessions } from '../../src/storage/schema.js';
import { keyedClient } from '../support/clients/keyed-client.js';
import { words } from '../support/clients/run-example.js';
import { startChatExample } from '../support/clients/start-chat-example.js';
import { useServer } from '../support/processes/start-server.js';
import { useShared } from '../support/suite.js';
import { openConsole } from './open-console.js';

describe('the example of a chat with React, at a server with keys', () => {
  const server = useServer();
  const backend = useShared(() =>
    keyedClient(server, {
      principal: 'backend',
      scopes: ['turns', 'approvals', 'tokens'],
      mints: 'app:*',
    }),
  );
  const site = useShared(() => startChatExample(server.url, backend.key));
  const browser = useShared(() => openConsole(site.url));

  it('asks its backend for a page token, and has no key', async () => {
    const { page, faults } = await browser.visit('/#tokens');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.headers()['authorization'] ?? ''));
    await page.getByLabel('Message').fill('Count. [[tokens=12 gap=10]]');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByText('word12').waitFor();
    expect(await answer.textContent()).toBe(words(12).trim());
    expect(sent.filter((header) => header.startsWith('Bearer tps_v1.'))).not.toHaveLength(0);
    expect(sent.join()).not.toContain('tpk_');
    const owners = await server.db.select({ owner: sessions.principalId }).from(sessions);
    expect(owners).toEqual([{ owner: 'app:visitor' }]);
    expect(faults).toEqual([]);
  });
});
