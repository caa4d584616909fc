import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Connect } from 'vite';
import { TurnpikeClient } from '../../dist/client/turnpike-client.js';

/** A key with the scope `tokens` that may make them for `app:*`; an open server needs none. */
const key = process.env['TURNPIKE_API_KEY'];

/** Requests of the page that are the server's, under the page's own Host: the server refuses others. */
const proxy = {
  '/api': { target: process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:4400', changeOrigin: false },
};

/** The backend of an application: its route gives a page tokens, after it has checked who asks. */
const backend = {
  name: 'turnpike-token',
  configureServer: serveTokens,
  configurePreviewServer: serveTokens,
};

function serveTokens({ middlewares }: { middlewares: Connect.Server }): void {
  const turnpike = new TurnpikeClient({ url: proxy['/api'].target, key });
  const answer = async (response: ServerResponse): Promise<void> => {
    try {
      response.end((await turnpike.tokens.create({ principal: 'app:visitor' })).token);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  };
  middlewares.use('/turnpike-token', (_request, response) => void answer(response));
}

export default defineConfig({
  plugins: key === undefined ? [] : [backend],
  define: { usesTokens: String(key !== undefined) },
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
