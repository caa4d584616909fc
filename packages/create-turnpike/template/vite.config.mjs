/** The page: `server.mjs` serves it from its sources in development, and from `dist` once `npm run build` has made that. */
export default {
  root: 'page',
  build: { outDir: '../dist', emptyOutDir: true },
};
