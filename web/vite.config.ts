import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** The API that `npm run console` uses in development. */
const api = process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:3000';

/** The console, and the page that draws diagrams for it. */
const pageOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [tailwindcss()],
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
