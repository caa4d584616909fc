import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The page's packages: those of the repository, or those of major 6. */
const alias: Record<string, string> =
  process.env['AI_MAJOR'] === '6' ? { '@ai-sdk/react': 'ai-sdk-react-3', ai: 'ai-6' } : {};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { alias },
  build: { target: 'es2022' },
  preview: {
    proxy: { '/api': { target: process.env['TURNPIKE_URL'] ?? '', changeOrigin: false } },
  },
});
