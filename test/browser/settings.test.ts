import { beforeEach, describe, expect, it } from '@jest/globals';
import { userPreferences } from '../../src/storage/schema.js';
import { expectSoon } from '../support/expect-soon.js';
import { ChatPage } from './chat-page.js';
import { openTab, takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the settings', () => {
  const on = useConsole();
  beforeEach(async () => {
    await on.server.db.delete(userPreferences);
  });

  const saved = async (route = 'agent-config') =>
    (await on.server.client.get(`/api/settings/${route}`)).body;
  const field = (name: string) => ({ name, exact: true });

  it('say what is in force, are saved by themselves, and stay', async () => {
    const { page, faults } = await on.console.visit('/settings');
    const iterations = page.getByRole('spinbutton', field('Model calls'));
    await iterations.waitFor();
    expect(await iterations.inputValue()).toBe('');
    expect(await page.getByRole('spinbutton').count()).toBe(9);
    expect(await page.getByRole('slider').count()).toBe(9);
    for (const words of [
      'Now: 12 (default).',
      'Now: no limit (default).',
      'Now: 3,600 s (default).',
    ])
      expect(await page.getByText(words).first().isVisible()).toBe(true);
    await iterations.fill('21');
    const slider = page.getByRole('slider', field('Time limit'));
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByText('Now: 21.').waitFor();
    await takePicture(page, 'settings-light');
    expect(await saved()).toMatchObject({ max_iterations: 21, timeout_seconds: 590 });
    await page.reload();
    await iterations.waitFor();
    expect(await iterations.inputValue()).toBe('21');
    expect(faults).toEqual([]);
  });

  it('are what the next turn runs with', async () => {
    const { page } = await on.console.visit('/settings');
    await page.getByRole('spinbutton', field('Model calls')).fill('2');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goto('/');
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, '[[loop=9 tool=glob {"pattern":"*"}]]');
    await chat.turn(0).getByText('Stopped by a limit', { exact: false }).waitFor();
  });

  it('of models are chosen, and go with one press', async () => {
    const { page, faults } = await on.console.visit('/settings');
    const model = page.getByRole('combobox', field('Model of the oracle API'));
    await model.selectOption('claude-haiku-4-5-20251001');
    await page.getByRole('combobox', field('Thinking')).selectOption('Off');
    await page.getByRole('spinbutton', field('Time limit of a subagent')).fill('90');
    await page.getByText('Now: 90 s.').waitFor();
    expect(await saved('models')).toMatchObject({
      oracle_model: 'claude-haiku-4-5-20251001',
      thinking_enabled: false,
      librarian_timeout: 90,
    });
    await page.getByRole('button', { name: 'Reset Model of the oracle API' }).click();
    await expectSoon(async () => expect(await model.inputValue()).toBe(''));
    await page.getByRole('combobox', field('Thinking')).selectOption('Default');
    await page.getByText('Now: off (default).').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await model.inputValue()).toBe('');
    expect(await saved('models')).toMatchObject({
      oracle_model: 'claude-sonnet-5-5',
      thinking_enabled: true,
      librarian_timeout: 90,
    });
    expect(faults).toEqual([]);
  });

  it('say at the field what the server says of it, and save the others', async () => {
    const { page } = await on.console.visit('/settings');
    const budget = page.getByRole('spinbutton', field('Token budget'));
    await budget.fill('999999');
    await page.getByRole('spinbutton', field('Tools at the same time')).fill('7');
    await page.getByText('token_budget must be a whole number from 1000 to 200000').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await budget.getAttribute('aria-invalid')).toBe('true');
    expect(await saved()).toMatchObject({ max_parallel_tools: 7, token_budget: 50_000 });
    await budget.fill('60000');
    await page.getByText('token_budget must be').waitFor({ state: 'detached' });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await saved()).toMatchObject({ token_budget: 60_000 });
    await budget.fill('');
    await budget.blur();
    await page.getByText('Now: no limit (default).').waitFor();
    expect(await saved()).toMatchObject({ max_parallel_tools: 7, token_budget: 50_000 });
  });

  it('go back to the defaults, in the other tab, too', async () => {
    const visitor = await on.console.visit('/settings');
    const other = await openTab(visitor, '/settings');
    const name = field('Tool calls after one model call');
    await visitor.page.getByRole('spinbutton', name).fill('9');
    await other.locator('input[type=number][value="9"]').waitFor();
    await visitor.page.getByRole('button', { name: 'Reset all' }).click();
    await other.locator('input[type=number][value="9"]').waitFor({ state: 'detached' });
    expect(await visitor.page.getByRole('spinbutton', name).inputValue()).toBe('');
    const defaults = { max_tool_calls_per_turn: 5, max_iterations: 15, token_budget: 50_000 };
    expect(await saved()).toMatchObject(defaults);
  });
});
