import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createTurnpike } from 'turnpike/server';
import { tools } from './tools.mjs';

const turnpike = await createTurnpike({
  dataDir: process.env.DATA_DIR ?? '.turnpike-embedded',
  basePath: '/agents',
  tools,
  authenticate: ({ headers }) => headers['x-user'] && { principal: headers['x-user'] },
});

const app = new Hono();
app.all('/agents/*', (context) => turnpike.fetch(context.req.raw));
app.post('/orders', async (context) => context.text(await context.req.text()));

await turnpike.start();
const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void turnpike.close();
});
