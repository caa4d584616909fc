import express from 'express';
import { createTurnpike } from 'turnpike/server';
import { tools } from './tools.mjs';

const turnpike = await createTurnpike({
  dataDir: process.env.DATA_DIR ?? '.turnpike-embedded',
  tools,
  authenticate: (_head, { user }) => user && { principal: user },
});

const app = express();
// In place of the log-in of the application.
app.use((request, _response, next) => {
  request.user = request.get('x-user');
  next();
});
app.use('/agents', turnpike.handler);
app.use(express.json());
app.post('/orders', (request, response) => response.json(request.body));

await turnpike.start();
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void turnpike.close();
});
