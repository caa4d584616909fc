import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from 'playwright-core';
import { given } from '../support/processes/test-services.js';

/** Milliseconds in which a page shows what a test waits for: on a busy machine, and so that a fault has its own words. */
const PAGE_MS = 600_000;

/** The folder that pictures of the pages are kept in, for people to look at. */
const pictures = fileURLToPath(new URL('../output/console/', import.meta.url));

export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Errors of the page, and requests that its policy refused. */
  faults: string[];
}

export interface VisitOptions {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
}

export interface Console {
  browser: Browser;
  /** A person at the console, with storage of their own. */
  visit(path?: string, options?: VisitOptions): Promise<Visitor>;
  close(): Promise<void>;
}

/** The console of a server, in the browser of the run. */
export async function openConsole(url: string): Promise<Console> {
  const browser = await chromium.connect(given('TEST_BROWSER_URL'));
  return {
    browser,
    visit: async (path = '/', { theme = 'light', width = 1_200, height = 800 } = {}) => {
      const context = await browser.newContext({
        baseURL: url,
        colorScheme: theme,
        viewport: { width, height },
      });
      context.setDefaultTimeout(PAGE_MS);
      const page = await context.newPage();
      const faults = watchFaults(page);
      await page.goto(path);
      return { context, page, faults };
    },
    close: () => browser.close(),
  };
}

/** Opens a further tab in a visitor's browser. */
export async function openTab({ context, faults }: Visitor, path: string): Promise<Page> {
  const page = await context.newPage();
  faults.push(...watchFaults(page));
  await page.goto(path);
  return page;
}

function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    // Refusals that a test asks for are the browser's own lines.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) {
      faults.push(text);
    }
  });
  return faults;
}

/** Whether a region shows all of its width, without scrolling. */
export function isWhole(region: Locator): Promise<boolean> {
  return region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
}

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}${name}.png`, animations: 'disabled' });
}
