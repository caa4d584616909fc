import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import type { Question, WireClient } from '../clients/wire-clients.js';
import { newStore } from '../database/test-store.js';
import { expectSoon } from '../expect-soon.js';
import { startProcess } from '../processes/start-process.js';
import { newFolder } from '../suite.js';

export const WORDS = 80;
/** What each turn of the scene says. */
export const answer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(' ');

/** A server in a process of its own, which starts again at its address after kill -9. */
export async function openKilledServer() {
  const model = await startRehearsal();
  const store = await newStore();
  const folder = newFolder();
  const instructions = instructionRootWith({});
  const projectRoot = await mkdtemp(path.join(folder, 'project-'));
  const environment = {
    ...store.environment,
    TURNPIKE_INSTRUCTION_ROOT: instructions,
    TURNPIKE_PROJECT_ROOT: projectRoot,
    TURNPIKE_PROVIDER_BASE_URL: model.url,
    TURNPIKE_EGRESS_ALLOW: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-test-key',
    // Clients of some wires come back only on a call of the test.
    TURNPIKE_DISCONNECT_GRACE_MS: '60000',
  };
  let server = await startProcess(environment);
  const { url } = server;
  const clients = new Map<string, WireClient>();
  const message = `[[tokens=${WORDS} gap=100]]`;
  return {
    url,
    /** What the clients ask. */
    message,
    clients,
    /** Asks by each client, and resolves once each of them has a part of the answer. */
    ask: async (open: Record<string, (asked: Question) => Promise<WireClient>>) => {
      const question = { url, projectRoot, message };
      for (const [name, openClient] of Object.entries(open)) {
        clients.set(name, await openClient(question));
      }
      await expectSoon(() => {
        for (const client of clients.values()) expect(client.received()).toContain('word5 ');
      });
    },
    killAndStart: async () => {
      await server.kill('SIGKILL');
      server = await startProcess({ ...environment, TURNPIKE_PORT: new URL(url).port });
    },
    close: async () => {
      await server.kill('SIGKILL');
      await model.close();
      await store.close();
      for (const place of [folder, instructions]) {
        await rm(place, { recursive: true, force: true, maxRetries: 10 });
      }
    },
  };
}
