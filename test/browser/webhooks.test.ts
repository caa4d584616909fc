import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import { answerWith, startReceiver, verify } from '../support/webhooks/start-receiver.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';
import { useShared } from '../support/suite.js';

describe('the webhooks', () => {
  const on = useConsole(async () => ({
    environment: { TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' },
  }));
  const receiver = useShared(startReceiver);

  it('are made with a secret that is shown once, tested, sent again and deleted', async () => {
    const { page, faults } = await on.console.visit('/webhooks');
    await page.getByText('No webhooks yet.').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('https://localhost/hooks');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('no public address', { exact: false }).waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('A turn starts', { exact: false }).uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const shown = await page.getByText(/^whsec_/).textContent();
    const secret = shown ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });

    const card = page.getByRole('listitem', { name: receiver.url });
    await card
      .getByText('turn.waiting, turn.ended, approval.requested', { exact: false })
      .waitFor();
    receiver.answer = answerWith(500, {}, 'not today');
    await card.getByRole('button', { name: 'Send a test' }).click();
    await card.getByText('failed: the endpoint answered 500', { exact: false }).waitFor();
    await card.getByText('Failing for', { exact: false }).waitFor();
    await takePicture(page, 'webhooks-failing-light');

    // A new secret is asked about first; a double click makes none.
    await card.getByRole('button', { name: 'New secret' }).dblclick();
    const asked = page.getByRole('dialog', { name: 'Make a new secret?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByText(/^whsec_/).count()).toBe(0);

    receiver.answer = answerWith(204);
    await card.getByRole('button', { name: 'Send webhook.test again' }).click();
    await card.getByLabel('Status').selectOption('delivered');
    await card.getByRole('button', { name: 'Send webhook.test again' }).waitFor();
    // The second of three where the try after five seconds comes before it.
    await expectSoon(() => expect(receiver.received.length).toBeGreaterThanOrEqual(2));
    for (const request of receiver.received) verify(request, secret);

    await card.getByRole('button', { name: 'Disable' }).click();
    await card.getByText('Disabled', { exact: true }).waitFor();
    expect(await card.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true);
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet.').waitFor();
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
  });
});
