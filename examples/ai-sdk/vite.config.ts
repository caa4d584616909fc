import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Requests of the page that are the server's, under the page's own Host: the server refuses others. */
const proxy = {
  '/api': { target: process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:4400', changeOrigin: false },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // In an application of your own, the package is installed.
  resolve: {
    alias: {
      'turnpike/client/ai-sdk': fileURLToPath(
        new URL('../../dist/client/chat-transport.js', import.meta.url),
      ),
    },
  },
  build: { target: 'es2022' },
  server: { proxy },
  preview: { proxy },
});
