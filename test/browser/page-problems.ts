import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Problems that axe ranks serious or worse, with their elements. @param rules of axe; default: all.
 */
export async function problemsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A script element would be refused by the page's policy.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(`${axeSource}; undefined`);
  }
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

/** The width of the page with what does not fit, in pixels. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}
