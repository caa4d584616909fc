import { describe, expect, it } from '@jest/globals';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

declare const BACK_END: 'embedded' | 'distributed';

describe('the queue', () => {
  const on = useConsole();

  it('shows what runs, and stops it', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=2000 gap=20]]');
    const { page, faults } = await on.console.visit('/queue');
    const running = page.getByRole('region', { name: 'Turns: Running' });
    // What it is about, by whom, and where.
    await running.getByText('[[tokens=2000 gap=20]]').waitFor();
    await running.getByText('WORKING_ITEMS').waitFor();
    await running.getByText(projectRoot.split('/').at(-1) ?? '').waitFor();
    await takePicture(page, `queue-${BACK_END}-light`);
    expect(faults).toEqual([]);
    await running.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('No turns are waiting or running.').waitFor();
    await stream.all();
  });
});
