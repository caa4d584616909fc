import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { serveHttp } from '../support/serve-http.js';
import { newFolder, useShared } from '../support/suite.js';
import { openConsole, takePicture } from './open-console.js';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Builds the site below a path, as on GitHub Pages, and serves it as any server of static files would. */
async function serveSite() {
  const folder = newFolder();
  const vitepress = path.join(packageRoot, 'node_modules/vitepress/bin/vitepress.js');
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [vitepress, 'build', 'site', '--outDir', folder],
    { cwd: packageRoot, env: { ...process.env, SITE_BASE: '/turnpike/' } },
  );
  // A page that cannot be rendered fails no build.
  expect(stdout + stderr).not.toMatch(/error/i);
  const server = await serveHttp((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const name = pathname.replace(/^\/turnpike\//, '').replace(/(^|\/)$/, '$1index.html');
    const file = path.join(folder, name);
    if (!pathname.startsWith('/turnpike/') || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = types[path.extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  return { folder, url: server.url, close: () => server.close() };
}

/** The pages of a site by their paths, with their anchors and their links to other pages. */
async function readPages(folder: string) {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith('.html'),
  );
  const pages = names.map(async (name) => {
    const html = await readFile(path.join(folder, name), 'utf8');
    const all = (pattern: RegExp): string[] =>
      Array.from(html.matchAll(pattern), ([, found = '']) => found);
    return [name, { ids: new Set(all(/ id="([^"]+)"/g)), links: all(/<a [^>]*?href="([^"]*)"/g) }];
  });
  return new Map((await Promise.all(pages)) as [string, { ids: Set<string>; links: string[] }][]);
}

describe('the documentation site', () => {
  const site = useShared(serveSite);
  const browser = useShared(() => openConsole(site.url));
  let pages: Awaited<ReturnType<typeof readPages>>;
  beforeAll(async () => {
    pages = await readPages(site.folder);
  });

  /** The addresses of other servers that a page asks. */
  const watch = (page: Page): string[] => {
    const foreign: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(site.url) && !url.startsWith('data:')) foreign.push(url);
    });
    return foreign;
  };

  it('has the pages of the manual, and each of its links leads to a page and to a heading there', () => {
    expect(pages.size).toBeGreaterThan(100);
    const broken = [...pages].flatMap(([name, { links }]) =>
      links.flatMap((link) => {
        const { origin, pathname, hash } = new URL(link, `http://site/turnpike/${name}`);
        if (origin !== 'http://site') return [];
        const target = pages.get(
          pathname.replace('/turnpike/', '').replace(/(^|\/)$/, '$1index.html'),
        );
        const anchor = decodeURIComponent(hash.slice(1));
        const isThere = target !== undefined && (anchor === '' || target.ids.has(anchor));
        return isThere ? [] : [`${name}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('has each page of the manual in its sidebar, but for the decisions, which have a list of their own', () => {
    const listed = new Set(
      (pages.get('docs/glossary.html')?.links ?? []).map((link) => link.replace(/#.*$/, '')),
    );
    const manual = [...pages.keys()].filter((name) => name.startsWith('docs/'));
    const missing = manual
      .filter((name) => !/internals\/decisions\/\d/.test(name))
      .filter((name) => !listed.has(`/turnpike/${name.replace(/index\.html$/, '')}`));
    expect(missing).toEqual([]);
  });

  it('is searched, dark, and read without a request to anybody else', async () => {
    const { page, faults } = await browser.visit('/turnpike/', { width: 1_300 });
    const foreign = watch(page);
    await page.reload();
    await page.getByRole('heading', { name: 'Turnpike', level: 1 }).waitFor();
    await takePicture(page, 'site-home');
    await page.getByRole('switch').first().click();
    await page.locator('html.dark').waitFor();
    await takePicture(page, 'site-home-dark');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('idempotency key');
    await page.getByRole('option').first().waitFor();
    await takePicture(page, 'site-search');
    await page.getByRole('option').first().click();
    await page.getByRole('navigation', { name: 'Sidebar Navigation' }).waitFor();
    await page.goto('/turnpike/docs/guide/first-five-minutes.html');
    await page.getByRole('heading', { name: 'The first five minutes' }).waitFor();
    expect(await page.locator('html.dark').count()).toBe(1);
    await takePicture(page, 'site-guide-dark');
    await page.getByRole('link', { name: 'page tokens' }).first().click();
    await page.waitForURL('**/docs/operate/log-in.html#page-tokens');
    expect([foreign, faults]).toEqual([[], []]);
  });
});
