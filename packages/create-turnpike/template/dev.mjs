/** `npm run dev`: Turnpike, which starts again when a tool or an agent changes, and the page. Ctrl + C ends both. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const turnpike = fileURLToPath(
  new URL('dist/cli.js', import.meta.resolve('turnpike/package.json')),
);
// Only the page is told: commands of Turnpike would look for a server there.
const { TURNPIKE_URL: _elsewhere, ...given } = process.env;
const { PAGE_URL = 'http://localhost:3000', TURNPIKE_PORT = '4400' } = given;
const settings = {
  TURNPIKE_TOOLS_DIR: at('tools'),
  TURNPIKE_INSTRUCTION_ROOT: at('instructions'),
  TURNPIKE_CORS_ORIGINS: PAGE_URL,
  ...given,
};

// The first key of this server: it may do everything, and make tokens for users of the page.
const keyFile = at('.turnpike/page-key');
if (!existsSync(keyFile)) {
  const options = ['--principal', 'local', '--mints', 'app:*'];
  const { status, stdout } = spawnSync(process.execPath, [turnpike, 'keys', 'create', ...options], {
    cwd: at('.'),
    env: settings,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  writeFileSync(keyFile, stdout, { mode: 0o600 });
}

const start = (program, env) =>
  spawn(process.execPath, program, { cwd: at('.'), env, stdio: 'inherit' });
const running = [
  start([turnpike, 'dev'], settings),
  start(['--watch', at('server.mjs')], {
    ...given,
    TURNPIKE_URL: `http://127.0.0.1:${TURNPIKE_PORT}`,
  }),
];
const stop = () => running.forEach((one) => one.kill());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
for (const one of running) one.once('exit', stop);
