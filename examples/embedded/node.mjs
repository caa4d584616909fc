import { createServer } from 'node:http';
import { createTurnpike } from 'turnpike/server';
import { tools } from './tools.mjs';

const turnpike = await createTurnpike({
  dataDir: process.env.DATA_DIR ?? '.turnpike-embedded',
  basePath: '/agents',
  tools,
  authenticate: ({ headers }) => headers['x-user'] && { principal: headers['x-user'] },
});

const server = createServer((request, response) => {
  turnpike.handler(request, response, () => response.end('The page of the application'));
});

await turnpike.start();
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void turnpike.close();
});
