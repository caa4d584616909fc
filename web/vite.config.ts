import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { icons } from '@iconify-json/lucide';
import { defineConfig, type Plugin } from 'vite';

/** The API that `npm run console` uses in development. */
const api = process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:3000';

/** The console, and the page that draws diagrams for it. */
const pageOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** `lucide:NAME`, the body of an icon: the collection is one file, of which the page needs a few. */
const lucide: Plugin = {
  name: 'lucide',
  resolveId: (id) => (id.startsWith('lucide:') ? `\0${id}` : null),
  load(id) {
    if (!id.startsWith('\0lucide:')) return null;
    const name = id.slice('\0lucide:'.length);
    const icon = icons.icons[name];
    if (icon === undefined) throw new Error(`Lucide has no icon '${name}'`);
    return `export default ${JSON.stringify(icon.body)};`;
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [tailwindcss(), lucide],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    rollupOptions: { input: [pageOf('index.html'), pageOf('diagram.html')] },
    // The page's policy allows inlined images alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Most packages require that their text goes with each copy.
    license: { fileName: 'third-party-licenses.txt' },
  },
  server: {
    proxy: {
      // The page's own Host: the server refuses others.
      '^/(api|agents|health|live|ready|admin|docs|docs-json)\\b': {
        target: api,
        changeOrigin: false,
      },
    },
  },
});
