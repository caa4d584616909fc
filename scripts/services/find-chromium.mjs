/** Finds the browser for the tests of the console. */
import { findProgram, installPackages } from './find-programs.mjs';

/** Programs by preference; the headless shell is the same engine without windows. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const folders = [
  '/usr/lib/chromium',
  '/snap/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
];
const macNames = ['Google Chrome', 'Chromium'];

/**
 * The browser of `TEST_CHROMIUM`, or an installed one; installs one if it may.
 *
 * @param {(line: string) => void} log
 * @returns {{program: string} | {fault: string}}
 */
export function findChromium(log) {
  const { TEST_CHROMIUM } = process.env;
  if (TEST_CHROMIUM) return { program: TEST_CHROMIUM };
  const installed = find();
  if (installed !== undefined) return { program: installed };
  try {
    installPackages(['chromium-headless-shell'], log);
  } catch (error) {
    log(`Chromium could not be installed: ${String(error)}`);
  }
  const program = find();
  if (program !== undefined) return { program };
  return {
    fault:
      'there is no Chromium (Debian: apt-get install chromium-headless-shell; elsewhere install Chromium or Chrome, or set TEST_CHROMIUM to its program)',
  };
}

function find() {
  for (const name of [...names, ...macNames]) {
    const program = findProgram(name, folders);
    if (program !== undefined) return program;
  }
  return undefined;
}
