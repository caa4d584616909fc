import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

describe('/awp', () => {
  const server = useServer();

  it('runs the default agent, and refuses as the others do', async () => {
    const agent = new HttpAgent({ url: `${server.url}/awp` });
    agent.addMessage({ id: 'user-1', role: 'user', content: '[[tokens=2]]' });
    await agent.runAgent({ forwardedProps: { turnpike: { projectRoot: server.projectRoot } } });
    expect(agent.messages.findLast(({ role }) => role === 'assistant')?.content).toBe(
      'word1 word2',
    );
    expect(agent.state).toMatchObject({ turnpike: { agent: 'WORKING_ITEMS' } });
    const refused = await fetch(`${server.url}/awp`, { method: 'POST', body: '{' });
    expect([refused.status, refused.headers.get('content-type'), await refused.json()]).toEqual([
      400,
      'application/problem+json',
      expect.objectContaining({ status: 400, instance: '/awp', title: 'Invalid request' }),
    ]);
  });
});
