import Fastify from 'fastify';
import { createTurnpike } from 'turnpike/server';
import { tools } from './tools.mjs';

const turnpike = await createTurnpike({
  dataDir: process.env.DATA_DIR ?? '.turnpike-embedded',
  basePath: '/agents',
  tools,
  authenticate: ({ headers }) => headers['x-user'] && { principal: headers['x-user'] },
});

const app = Fastify({ forceCloseConnections: true });
app.register(async (agents) => {
  // Turnpike reads bodies itself.
  agents.removeAllContentTypeParsers();
  agents.addContentTypeParser('*', (_request, _payload, done) => done(null));
  agents.all('/agents/*', (request, reply) => {
    reply.hijack();
    turnpike.handler(request.raw, reply.raw);
  });
});
app.post('/orders', (request) => request.body);

await turnpike.start();
console.log(await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' }));
process.once('SIGTERM', () => {
  void app.close().then(() => turnpike.close());
});
