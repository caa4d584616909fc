/** The backend of the page: its files, a log-in, and page tokens for who is logged in. It has the key; the page never. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { TurnpikeClient } from 'turnpike/client';
import viteConfig from './vite.config.mjs';

const {
  PAGE_URL = 'http://localhost:3000',
  /** Where to listen; in a container, where PAGE_URL is not. */
  HOST = new URL(PAGE_URL).hostname,
  /** Turnpike as this server reaches it, and as browsers do. */
  TURNPIKE_URL = 'http://127.0.0.1:4400',
  BROWSERS_TURNPIKE_URL = TURNPIKE_URL,
  KEY_FILE = '.turnpike/page-key',
  NODE_ENV,
} = process.env;
const page = new URL(PAGE_URL);
const turnpike = new TurnpikeClient({
  url: TURNPIKE_URL,
  key: readFileSync(KEY_FILE, 'utf8').split('\n')[0],
});

const routes = {
  // A STUB: whoever asks is believed. Put the log-in of your product here before anybody else reaches this server.
  'POST /log-in': async (request, response) => {
    const user = new URLSearchParams(await text(request)).get('user') ?? '';
    const cookie = `user=${encodeURIComponent(user)}; Path=/; HttpOnly; SameSite=Strict`;
    response.writeHead(303, { location: '/', 'set-cookie': cookie }).end();
  },
  'POST /log-out': async (request, response) => {
    const user = userOf(request);
    if (user !== null) await turnpike.tokens.end(principalOf(user));
    response.writeHead(303, { location: '/', 'set-cookie': 'user=; Path=/; Max-Age=0' }).end();
  },
  'POST /turnpike-token': async (request, response) => {
    const user = userOf(request);
    if (user === null) return response.writeHead(401).end('Log in first');
    const wanted = { principal: principalOf(user), origin: page.origin };
    const { token } = await turnpike.tokens.create(wanted);
    response.end(token);
  },
  'GET /me': async (request, response) => {
    const me = { user: userOf(request), turnpikeUrl: BROWSERS_TURNPIKE_URL };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(me));
  },
};

function userOf({ headers }) {
  const [, value = ''] = /(?:^|; )user=([^;]*)/.exec(headers.cookie ?? '') ?? [];
  return value === '' ? null : decodeURIComponent(value);
}

/** Whom Turnpike knows a user as. Ids have no spaces. */
const principalOf = (user) => `app:${encodeURIComponent(user)}`;

const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};

/** A file of `dist`, as `npm run build` made it. */
function sendBuilt({ url }, response) {
  const [path] = url.split('?');
  const isName = path === '/' || /^\/(?:assets\/)?[\w-][\w.-]*$/.test(path);
  const file = new URL(`dist${path === '/' ? '/index.html' : path}`, import.meta.url);
  const type = types[path === '/' ? 'html' : path.split('.').at(-1)];
  if (!isName || type === undefined || !existsSync(file)) {
    return response.writeHead(404).end('There is no such page');
  }
  response.writeHead(200, { 'content-type': type });
  createReadStream(file).pipe(response);
}

/** The page from its sources: the browser shows a change at once. */
async function serveSources() {
  const vite = await import('vite');
  const options = { middlewareMode: true, hmr: { server } };
  return (await vite.createServer({ ...viteConfig, configFile: false, server: options }))
    .middlewares;
}

const server = createServer((request, response) => {
  // Tokens are for pages of one origin: 127.0.0.1 is another one than localhost.
  if (request.headers.host !== page.host) {
    return response.writeHead(307, { location: page.origin }).end();
  }
  const answer = routes[`${request.method} ${request.url}`];
  if (answer === undefined) return sendFile(request, response);
  answer(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error));
  });
});
const sendFile = NODE_ENV === 'production' ? sendBuilt : await serveSources();
server.listen(Number(page.port || 80), HOST, () => console.log(`The page is at ${page.origin}`));
