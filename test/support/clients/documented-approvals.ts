import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { loadPermissions } from '../../../src/options/permission-mode.js';
import type { TestServer } from '../processes/start-server.js';
import { newFolder } from '../suite.js';
import type { DocumentedPage, Run } from './documented-page.js';

const bash = { name: 'bash', permissionArgument: { name: 'command', kind: 'command' } } as const;

/** Reads the rules of the page about approvals, as a server does at its start. */
async function readsRules(code: string): Promise<string> {
  const file = path.join(newFolder(), 'permissions.yaml');
  await writeFile(file, code);
  const { ask } = await loadPermissions(file, [bash]);
  const release = { by: ['release'], count: 2, notRequester: true };
  expect(ask).toEqual(['mcp__github__*', { rule: 'bash(git push*)', ...release }]);
  return '';
}

/** Uses of the blocks about approvals. */
export const approvalUses = {
  answer: (server: TestServer, page: DocumentedPage): Run[] => [
    async (code) => {
      const message = '[[tool=write {"file_path":"notes.txt","content":"Hello"}]]';
      const turn = await server.client.turn(await page.session(), message);
      const asked = await turn.until('approval:request');
      page.names['appr_01a1…'] = String(asked.data['approvalId']);
      const output = await page.prints('"decision":"approve"')(code, '');
      expect((await turn.all()).at(-1)?.data).toEqual({ exitCode: 0 });
      return output;
    },
  ],
  roles: [readsRules],
};
