/**
 * The documentation site, `npm run site`: the pages of the repository at their own paths, with `docs/README.md` as the
 * sidebar. SITE_BASE is the path that it is served below (default: /). SITE_SOURCE is an address of the repository's
 * files, which links to source code lead to; without it these are text.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../scripts/slug-of.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { SITE_BASE: base = '/', SITE_SOURCE: source } = process.env;
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json'));

/** The path of a page in the site, of that of its file. */
function pathOf(file) {
  if (file === 'site/index.md') return 'index.md';
  if (file === 'README.md') return 'overview.md';
  return file.replace(/README\.md$/, 'index.md');
}
const linkOf = (file) => `/${pathOf(file).replace(/index\.md$/, '')}`;
const isPage = (file) =>
  /^(site\/index|docs\/.*|examples\/([\w-]+\/)?README|[A-Z]+|test\/evidence|(bench|chaos|rehearsal|simulation|clients\/python|test\/(golden|e2e\/crash))\/README)\.md$/.test(
    file,
  );

/** The sections of docs/README.md, with the titles of the pages that each leads to. */
function sidebar() {
  const sections = read('docs/README.md').split(/^## /m).slice(1);
  const items = sections.map((section) => {
    const [text] = section.split('\n');
    const targets = [...section.matchAll(/\]\(([^)#]+)/g)].map(([, target]) => target);
    return {
      text,
      collapsed: text !== 'Start',
      items: targets.map((target) => {
        const file = path.join('docs', target);
        const [, title] = /^# (.+)$/m.exec(read(file));
        return { text: title, link: linkOf(file) };
      }),
    };
  });
  return [{ text: 'All pages, by what you want', link: '/docs/' }, ...items];
}

/** Leads links between files of the repository to pages, and those to other files to the source code. */
function linkFiles(markdown) {
  markdown.core.ruler.push('link-files', ({ tokens, env }) => {
    const file = env.realPath ?? env.path;
    // The title of a page, which is text.
    if (file === undefined) return;
    const from = path.dirname(path.relative(root, file));
    for (const { children } of tokens) {
      const opened = [];
      for (const token of children ?? []) {
        if (token.type === 'link_open') opened.push(link(token, from));
        if (token.type === 'link_close') token.tag = opened.pop();
        // Braces in code are no expressions of Vue.
        if (token.type === 'code_inline') token.attrSet('v-pre', '');
      }
    }
  });
}

/** @returns the tag that the link has now. */
function link(token, from) {
  const href = token.attrGet('href');
  if (/^([a-z]+:|#|\/)/.test(href)) return 'a';
  const [target, hash = ''] = href.split(/(?=#)/);
  const file = path.join(from, decodeURI(target));
  if (isPage(file)) token.attrSet('href', linkOf(file) + hash);
  else if (source !== undefined) token.attrSet('href', `${source}/${file}${hash}`);
  else {
    token.tag = 'span';
    token.attrs = [['title', file]];
  }
  return token.tag;
}

const pages = globSync('**/*.md', {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'build',
});

export default defineConfig({
  title: 'Turnpike',
  description: 'An agent turn server: durable turns, resumable streams, one command to start.',
  base,
  srcDir: root,
  srcExclude: pages.filter((file) => !isPage(file)),
  rewrites: (file) => pathOf(file),
  outDir: path.join(root, 'build/site'),
  cacheDir: path.join(root, 'node_modules/.cache/vitepress'),
  // A browser asks for a picture that is not there otherwise.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: slugOf }, config: linkFiles },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Manual', link: '/docs/' },
      { text: 'Examples', link: '/examples/' },
      { text: version, link: '/CHANGELOG.md' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
  },
});
