import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from '../support/start-server.js';
import { openConsole, takePicture, type Console } from './open-console.js';

declare const BACK_END: 'embedded' | 'distributed';

describe('the queue', () => {
  let server: TestServer;
  let console: Console;
  beforeAll(async () => {
    server = await startServer();
    console = await openConsole(server.url);
  });
  afterAll(async () => {
    await console.close();
    await server.close();
  });

  it('shows what runs, and where there is one, the way to its board', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=2000 gap=20]]');
    const { page, faults } = await console.visit('/queue');
    const running = page.getByRole('region', { name: 'Turns: Running' });
    await running.getByText('on a worker').waitFor();
    await takePicture(page, `queue-${BACK_END}-light`);
    expect(faults).toEqual([]);
    const board = page.getByRole('button', { name: 'Bull Board' });
    if (BACK_END === 'distributed') {
      await board.click();
      await page.waitForURL('**/admin/queues**');
      await page.getByText('turn').first().waitFor();
      await takePicture(page, 'board-light');
    } else expect(await board.count()).toBe(0);
    await client.post('/api/harness/interrupt', { sessionId });
    await stream.all();
  });
});
