/** One Chromium for all suites of a run; each connects to it and has a profile of its own there. */
import { chromium } from 'playwright-core';

/** Jest's `globalSetup`. @returns {Promise<void>} */
export default async function startBrowser() {
  const executablePath = process.env['TEST_CHROMIUM'];
  if (executablePath === undefined) {
    throw new Error('TEST_CHROMIUM is not set. Run the tests with: npm run jest -- …');
  }
  const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] });
  process.env['TEST_BROWSER_URL'] = server.wsEndpoint();
  globalThis.stopBrowser = () => server.close();
}
