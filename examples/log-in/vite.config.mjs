import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { serveToken } from './backend.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The backend of the page, in the server of the page. */
const backend = {
  name: 'turnpike-token',
  configureServer: ({ middlewares }) =>
    void middlewares.use('/turnpike-token', async (request, response) => {
      try {
        await serveToken(request, response);
      } catch (error) {
        response.writeHead(502).end(String(error));
      }
    }),
};

export default defineConfig({
  root: at('.'),
  plugins: [backend],
  // In an application of your own, the package is installed.
  resolve: {
    alias: {
      'turnpike/client/react': at('../../dist/client/react.js'),
      'turnpike/client': at('../../dist/client/turnpike-client.js'),
    },
  },
  server: { host: 'localhost', strictPort: true },
});
