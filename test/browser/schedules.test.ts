import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { schedules } from '../../src/storage/automation-schema.js';
import { minutesAgo, ScheduleScene } from '../support/schedules/schedule-scene.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';
import { useShared } from '../support/suite.js';

describe('the schedules', () => {
  const on = useConsole();
  const scene = useShared(() => new ScheduleScene(on.server));
  const has = (within: Locator, text: string | RegExp) => within.getByText(text).first().waitFor();

  it('are made in a form that keeps what was typed, and shows faults at their fields', async () => {
    const { page, faults } = await on.console.visit('/schedules');
    await page.getByText('No schedules yet.').waitFor();
    await page.getByRole('button', { name: 'New schedule' }).click();
    const form = page.getByRole('dialog', { name: 'New schedule' });
    const make = form.getByRole('button', { name: 'Create' });
    expect(await make.isDisabled()).toBe(true);
    await form.getByLabel('Name').fill('weekly-report');
    await form.getByLabel('Times').fill('0 9 * *');
    await form.getByLabel('Time zone').fill('Asia/Tokyo');
    await form.getByLabel('Message').fill('Write the report.');
    await form.getByLabel('Options').fill('{"maxTurns": 3');
    await make.click();
    // All that is wrong at once, each at its field.
    await has(form, 'Give a JSON object, as {"maxTurns": 5}.');
    await has(form, /^This is no cron expression/);
    await form.getByLabel('Options').fill('{"maxTurns": 3}');
    expect(await form.getByLabel('Times').getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByLabel('Message').inputValue()).toBe('Write the report.');
    await takePicture(page, 'schedules-form-light');
    await form.getByLabel('Times').fill('0 9 * * 1');
    await has(form, 'At 09:00, only on Monday');
    await form.getByLabel('Folder').fill('/nowhere/at/all');
    await make.click();
    await has(form, /\/nowhere\/at\/all/);
    expect(await form.getByLabel('Folder').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Folder').fill(on.server.projectRoot);
    await make.click();
    const card = page.getByRole('listitem', { name: 'weekly-report' });
    await has(card, 'Active');
    await form.waitFor({ state: 'detached' });
    await has(card, /^Mon \d{4}-\d\d-\d\d 09:00/);
    expect(await scene.get('weekly-report')).toMatchObject({
      cron: '0 9 * * 1',
      tz: 'Asia/Tokyo',
      opts: { maxTurns: 3 },
      projectRoot: on.server.projectRoot,
      catchUpMs: 600_000,
    });
    expect(faults).toEqual([]);
  });

  it('are not replaced by a new one of the same key', async () => {
    const { id } = await scene.put('taken', { message: 'Stays' });
    const { page } = await on.console.visit('/schedules');
    await page.getByRole('button', { name: 'New schedule' }).click();
    const form = page.getByRole('dialog', { name: 'New schedule' });
    await form.getByLabel('Name').fill('taken');
    await form.getByLabel('Times').fill('0 9 * * 1');
    await form.getByLabel('Message').fill('Other');
    await form.getByRole('button', { name: 'Create' }).click();
    await has(form, /^You have a schedule '.*' already. Choose another key, or change that one\.$/);
    expect(await scene.get('taken')).toMatchObject({ id, message: 'Stays' });
  });

  it('show their times on the zone’s clock, with the viewer’s beside it', async () => {
    await scene.put('zoned', { cron: '30 9 1 1 *', tz: 'Asia/Tokyo' });
    const { page } = await on.console.visit('/schedules');
    const card = page.getByRole('listitem', { name: 'zoned' });
    await has(card, /-01-01 09:30/);
    const here = await page.evaluate<string>(
      "new Date('2027-01-01T09:30+09:00').toTimeString().slice(0, 5)",
    );
    await has(card, new RegExp(`${here} here`));
  });

  it('run now, and show what came of each of their times', async () => {
    await scene.put('runs', { message: 'Hello', catchUpMs: 60_000 });
    await scene.comes('runs', minutesAgo(5));
    await scene.ran('runs', 1);
    await scene.put('stuck', { message: '[[stall=60000]]' });
    const { page, faults } = await on.console.visit('/schedules');
    const card = page.getByRole('listitem', { name: 'runs' });
    await card.getByRole('button', { name: 'Run now' }).click();
    const runs = card.getByRole('region', { name: 'Runs' });
    await has(runs, 'missed');
    await has(runs, 'no worker could run it');
    await has(runs, 'submitted');
    await has(runs, 'completed');
    await takePicture(page, 'schedules-runs-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(page, 'schedules-runs-dark');
    await page.setViewportSize({ width: 400, height: 900 });
    await takePicture(page, 'schedules-runs-narrow');
    const stuck = page.getByRole('listitem', { name: 'stuck' });
    await stuck.getByRole('button', { name: 'Run now' }).click();
    await has(stuck, 'running');
    await stuck.getByRole('button', { name: 'Run now' }).click();
    await has(stuck, /has not ended\. Wait for its end or interrupt it/);
    await runs.getByRole('link', { name: 'Session' }).click();
    await has(page.getByRole('region', { name: 'Conversation' }), 'Hello');
    expect(faults).toEqual([]);
  });

  it('are paused and resumed, and say when the server paused them, and why', async () => {
    await scene.put('pausing');
    const { page } = await on.console.visit('/schedules');
    const card = page.getByRole('listitem', { name: 'pausing' });
    await has(card, 'Active');
    await card.getByRole('button', { name: 'Pause' }).click();
    await has(card, 'Paused by you');
    await has(card, 'Next if resumed');
    await card.getByRole('button', { name: 'Resume' }).click();
    await has(card, 'Active');
    await on.server.db.update(schedules).set({ pausedAt: new Date(), pauseReason: 'failures' });
    await has(card, 'Paused: the last five runs failed');
  });

  it('are edited, and deleted after a question', async () => {
    const { id } = await scene.put('edited', { opts: { maxTurns: 3 }, catchUpMs: 90_000 });
    const { page, faults } = await on.console.visit('/schedules');
    const card = page.getByRole('listitem', { name: 'edited' });
    await card.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit edited' });
    expect(await form.getByLabel('Catch up for (minutes)').inputValue()).toBe('1.5');
    await form.getByLabel('Message').fill('In other words');
    await form.getByLabel('If the last run is not finished').selectOption('queueOne');
    await form.getByRole('button', { name: 'Save' }).click();
    await has(form, /^'overlap' queueOne needs the id of a 'session'/);
    await form.getByLabel('If the last run is not finished').selectOption('allow');
    await form.getByRole('button', { name: 'Save' }).click();
    await has(card, 'In other words');
    expect(await scene.get('edited')).toMatchObject({
      id,
      message: 'In other words',
      overlap: 'allow',
      opts: { maxTurns: 3 },
      catchUpMs: 90_000,
    });
    // A double click asks, and deletes nothing.
    await card.getByRole('button', { name: 'Delete' }).dblclick();
    const question = page.getByRole('dialog', { name: 'Delete the schedule edited?' });
    await question.waitFor();
    expect((await scene.call('GET', '/edited')).status).toBe(200);
    await question.getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
    expect((await scene.call('GET', '/edited')).status).toBe(404);
    expect(faults).toEqual([]);
  });
});
