import { describe, expect, it } from '@jest/globals';
import { openTab, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the settings', () => {
  const on = useConsole();

  const saved = async () => (await on.server.client.get('/api/settings/agent-config')).body;
  const field = (name: string) => ({ name, exact: true });

  it('have every limit with its bounds, are saved by themselves, and stay', async () => {
    const { page, faults } = await on.console.visit('/settings');
    const iterations = page.getByRole('spinbutton', field('Iterations'));
    await iterations.waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(7);
    expect(await page.getByRole('slider').count()).toBe(7);
    expect(await page.getByText('1,000 to 200,000; default 50,000.').count()).toBe(1);
    await iterations.fill('21');
    const slider = page.getByRole('slider', field('Time'));
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Saved', { exact: true }).waitFor();
    await takePicture(page, 'settings-light');
    expect(await saved()).toMatchObject({ max_iterations: 21, timeout_seconds: 130 });
    await page.reload();
    await iterations.waitFor();
    expect(await iterations.inputValue()).toBe('21');
    expect(faults).toEqual([]);
  });

  it('say at the field what the server says of it, and save the others', async () => {
    const { page } = await on.console.visit('/settings');
    const budget = page.getByRole('spinbutton', field('Token budget'));
    await budget.fill('999999');
    await page.getByRole('spinbutton', field('Tools at a time')).fill('7');
    await page.getByText('token_budget must be a whole number from 1000 to 200000').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await budget.getAttribute('aria-invalid')).toBe('true');
    expect(await saved()).toMatchObject({ max_parallel_tools: 7, token_budget: 50_000 });
    await budget.fill('60000');
    await page.getByText('token_budget must be').waitFor({ state: 'detached' });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await saved()).toMatchObject({ token_budget: 60_000 });
  });

  it('go back to the defaults, in the other tab, too', async () => {
    const visitor = await on.console.visit('/settings');
    const other = await openTab(visitor, '/settings');
    const name = field('Tool calls of an iteration');
    await visitor.page.getByRole('spinbutton', name).fill('9');
    await visitor.page.getByText('Saved', { exact: true }).waitFor();
    await visitor.page.getByRole('button', { name: 'Reset' }).click();
    const defaults = { max_tool_calls_per_turn: 5, max_iterations: 15, token_budget: 50_000 };
    await other.locator('input[type=number][value="15"]').waitFor();
    expect(await visitor.page.getByRole('spinbutton', name).inputValue()).toBe('5');
    expect(await saved()).toMatchObject(defaults);
  });
});
