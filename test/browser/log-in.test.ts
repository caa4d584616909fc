import { beforeAll, describe, expect, it } from '@jest/globals';
import { useLoginProvider } from '../support/access/login-provider.js';
import { ChatPage } from './chat-page.js';
import { useConsole } from './use-console.js';

describe('a console that people log in to', () => {
  const { provider, environment } = useLoginProvider([{ group: 'staff' }]);
  const on = useConsole(async () => ({ environment: await environment() }));
  beforeAll(() => provider.serve([on.server.url]));

  it('knows a person from the log-in to the log-out, and comes back to the page', async () => {
    provider.person = { sub: 'ann', name: 'Ann Example', groups: ['staff'] };
    const { page, faults } = await on.console.visit('/settings');
    const dialog = page.getByRole('dialog', { name: 'Log in' });
    await dialog.getByRole('link', { name: 'Log in with idp' }).click();
    const person = page.getByRole('region', { name: 'Logged in' });
    await person.getByText('Ann Example').waitFor();
    await person.getByText('staff · may: turns, approvals').waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('link', { name: 'New session' }).click();
    const chat = new ChatPage(page);
    await chat.begin(on.server.projectRoot, 'Hello [[tokens=3]]');
    await chat.status('Done');
    await page.goto('/turns?of=all');
    await page.getByRole('alert').getByText('Your role may not do this').waitFor();
    await person.getByRole('button', { name: 'Log out' }).click();
    // The provider asks whether it is to log the person out too.
    await page.getByRole('button', { name: /sign me out/ }).click();
    await page.waitForURL(`${on.server.url}/`);
    await dialog.waitFor();
    expect(await person.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('says why a person is not let in', async () => {
    provider.person = { sub: 'eve', name: 'Eve', groups: ['guests'] };
    const { page, faults } = await on.console.visit('/');
    await page.getByRole('link', { name: 'Log in with idp' }).click();
    await page.getByRole('heading', { name: 'You are not logged in' }).waitFor();
    await page.getByText('The token names the groups guests').waitFor();
    await page.getByText('FORBIDDEN_ROLE').waitFor();
    await page.getByRole('link', { name: 'Go to the console' }).click();
    await page.getByRole('dialog', { name: 'Log in' }).waitFor();
    expect(faults).toEqual([]);
  });
});
