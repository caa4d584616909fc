import { openSessions } from '../../test/support/open-sessions.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { openProjectRoots } from '../../test/support/access/open-project-roots.js';
import { openTestMcp } from '../../test/support/mcp/open-test-mcp.js';
import { localPrincipal } from '../access/principal.js';
import { ToolRegistry } from '../tools/registry.js';
import { SessionService } from './session-service.js';
import { SessionStore } from './session-store.js';
import { SessionTermsChecker } from './session-terms.js';

const noLimits = { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 };
const token = 'tok-0123456789';

const nobodyBoots = () => Promise.reject(new Error('nobody boots here'));

describe('mcpServers of a session', () => {
  let store: SessionStore;
  const database = useDatabase();
  beforeAll(async () => {
    store = openSessions(database.db, new ManualClock(), 100);
  });

  async function create(mcpServers: unknown): Promise<{ sessionId: string }> {
    const mcp = await openTestMcp({ settings: { mcpHosts: ['mcp.example.com'] } });
    const clock = new ManualClock();
    const roots = openProjectRoots(database.db);
    const service = new SessionService(
      store,
      roots,
      {
        load: nobodyBoots,
        checkApprovers: () => Promise.resolve(),
        checkAgent: () => Promise.resolve(),
      },
      { checkModel: nobodyBoots },
      clock,
      new SessionTermsChecker(new ToolRegistry([]), mcp, { modeCeiling: 'acceptEdits' }, roots),
    );
    return service.create({ projectRoot: process.cwd(), mcpServers }, localPrincipal(noLimits));
  }

  it('are stored as they are given, and shown nowhere', async () => {
    const url = 'https://mcp.example.com/mcp';
    const mcpServers = { docs: { url, headers: { Authorization: `Bearer ${token}` } } };
    const shown = await create(mcpServers);
    expect((await store.get(shown.sessionId)).mcpServers).toEqual(mcpServers);
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(shown).not.toHaveProperty('mcpServers');
  });

  it('are refused with the field that is wrong, and without its value', async () => {
    const mcpServers = { docs: { url: `https://other.example/?key=${token}` } };
    const failed: unknown = await create(mcpServers).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      type: 'INVALID_REQUEST',
      details: { field: 'mcpServers.docs' },
    });
    expect(JSON.stringify(failed) + String(failed)).not.toContain(token);
  });

  it('are none where nothing is given', async () => {
    const { sessionId } = await create(undefined);
    expect((await store.get(sessionId)).mcpServers).toBeNull();
  });
});
