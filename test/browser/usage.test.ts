import { describe, expect, it } from '@jest/globals';
import { isWhole, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the page of usage', () => {
  const on = useConsole();

  it('shows what days cost, by what is chosen', async () => {
    const { client, projectRoot } = on.server;
    for (const message of ['One [[tokens=200]]', 'Two [[tokens=40]]']) {
      const sessionId = await client.createSession(projectRoot);
      await (await client.turn(sessionId, message)).all();
    }
    const { page, faults } = await on.console.visit('/usage');
    await page.getByRole('img', { name: /^Cost of 30 days by model; .*\$0\.\d+/ }).waitFor();
    const table = page.getByRole('region', { name: 'Usage by day' });
    await table.getByText('claude-sonnet-5-5').waitFor();
    await takePicture(page, 'usage-chart-light');
    const by = page.getByRole('group', { name: 'By' });
    await by.getByRole('button', { name: 'agent' }).click();
    await table.getByText('Assistant').waitFor();
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'tokens' }).click();
    await page
      .getByRole('group', { name: 'Range' })
      .getByRole('button', { name: '7 days' })
      .click();
    await page.getByRole('img', { name: /^Tokens of 7 days by agent/ }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?range=7d&by=agent&show=tokens');
    await page.reload();
    await page.getByRole('img', { name: /^Tokens of 7 days by agent/ }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/usage');
    expect(await isWhole(table)).toBe(true);
    await takePicture(page, 'usage-390-light');
    expect(faults).toEqual([]);
  });
});
