import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { expectSoon } from '../expect-soon.js';
import type { TestServer } from '../processes/start-server.js';

interface Reader {
  server(): TestServer;
  /** Runs commands as a reader of the page would. */
  shell(code: string): Promise<string>;
}

type Run = (code: string) => Promise<string>;

async function lastRequest({ client, projectRoot, modelRequests }: TestServer, opts: object) {
  const sessionId = await client.createSession(projectRoot);
  await (await client.turn(sessionId, 'Hello', { opts })).all();
  return modelRequests.at(-1)?.body;
}

/** What is done with the block of client-tools.md. */
export const clientToolUses = ({ server }: Pick<Reader, 'server'>): Run[] => [
  async (code) => {
    const body = await lastRequest(server(), JSON.parse(code) as object);
    expect(body?.tools).toContainEqual(expect.objectContaining({ name: 'pick_color' }));
    return '';
  },
];

/** What is done with the blocks of skills.md: the file is a skill, which the route lists. */
export const skillUses = ({ server, shell }: Reader): Run[] => [
  async (code) => {
    const folder = path.join(server().config.instructionRoot, 'skills/release-notes');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'SKILL.md'), code);
    await expectSoon(async () => {
      const body = await lastRequest(server(), {});
      expect(JSON.stringify(body?.system)).toContain(
        'release-notes: Writes the notes of a release.',
      );
    });
    return '';
  },
  async (code) => {
    const output = await shell(code);
    expect(JSON.parse(output)).toMatchObject({
      skills: [{ name: 'release-notes', isOffered: true, allowedTools: ['bash(git *)', 'read'] }],
    });
    return output;
  },
];
