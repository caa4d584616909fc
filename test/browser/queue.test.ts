import { describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
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

  it('is shown, and kept up to date, by a server that is slower than the page polls', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'Slow [[tokens=2000 gap=20]]');
    const { page } = await on.console.visit('/help');
    await page.clock.install();
    // The server takes one request after the other, each for five seconds of the page's clock, and the page polls
    // every two.
    const answer = async (route: Route, former: Promise<void>): Promise<void> => {
      await former;
      const response = await route.fetch();
      await page.clock.runFor(5_000);
      await route.fulfill({ response });
    };
    let latest = Promise.resolve();
    await page.route('**/api/admin/queue*', (route) => (latest = answer(route, latest)));
    try {
      await page.goto('/queue');
      const running = page.getByRole('region', { name: 'Turns: Running' });
      await running.getByText('Slow').waitFor();
      await running.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('No turns are waiting or running.').waitFor();
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await stream.all();
  });
});
