/** Serves this folder, as any server of static files would: node examples/browser/serve.mjs [port] */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

const types = { 'index.html': 'text/html', 'page.js': 'text/javascript' };

const server = createServer(({ url = '/' }, response) => {
  const name = new URL(url, 'http://127.0.0.1').pathname.slice(1) || 'index.html';
  const type = types[name];
  if (type === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` });
  createReadStream(new URL(name, import.meta.url)).pipe(response);
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () =>
  console.log(`The page: http://127.0.0.1:${server.address().port}/`),
);
