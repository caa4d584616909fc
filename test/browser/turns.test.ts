import { describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { isWhole, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

declare const BACK_END: 'embedded' | 'distributed';

describe('the page of turns', () => {
  const on = useConsole();

  it('shows what runs, and stops it', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=2000 gap=20]]');
    const { page, faults } = await on.console.visit('/turns');
    const running = page.getByRole('region', { name: 'Turns' });
    // What it is about, and by which agent.
    await running.getByText('[[tokens=2000 gap=20]]').waitFor();
    await running.getByText('Assistant').waitFor();
    await page.getByText('1 running.').waitFor();
    await takePicture(page, `turns-${BACK_END}-light`);
    for (const width of [390, 768, 1_024, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      expect([width, await isWhole(running)]).toEqual([width, true]);
      await takePicture(page, `turns-${width}-${BACK_END}-light`);
    }
    expect(faults).toEqual([]);
    await running.getByRole('button', { name: 'Stop' }).click();
    await running.getByText('interrupted').waitFor();
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
    await page.route('**/api/harness/turns*', (route) => (latest = answer(route, latest)));
    try {
      await page.goto('/turns?status=unended');
      const running = page.getByRole('region', { name: 'Turns' });
      await running.getByText('Slow').waitFor();
      await running.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('No such turns.').waitFor();
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await stream.all();
  });

  it('keeps its filters in the URL, and says why a turn failed and what to do', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const fine = await client.turn(sessionId, 'Fine [[tokens=3]]');
    await fine.all();
    const failing = await client.turn(sessionId, 'Broken [[fail=credit]]');
    await failing.all();
    const { page, faults } = await on.console.visit('/turns');
    const list = page.getByRole('region', { name: 'Turns' });
    await list.getByText('Fine').waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await list.getByText('Fine').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?status=failed');
    await list.getByText('spend limit').waitFor();
    await takePicture(page, `turns-failed-${BACK_END}-light`);
    await page.reload();
    await list.getByRole('link', { name: /^Broken/ }).click();
    const why = page.getByRole('alert');
    await why.getByText('Waiting does not help').waitFor();
    await page.getByRole('heading', { name: /^Broken/ }).waitFor();
    await page.getByText('first token after').waitFor({ state: 'detached' });
    await takePicture(page, `turn-failed-${BACK_END}-light`);
    await page.goBack();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await list.getByText('Fine').waitFor();
    await page.getByLabel('Id of a turn or session').fill('turn_1');
    await page.getByLabel('Id of a turn or session').press('Enter');
    await page.getByRole('alert').getByText("'id'").waitFor();
    expect(faults).toEqual([]);
  });
});
