/** Starts the provider, the page, and Turnpike unless TURNPIKE_URL names one that runs. Ctrl + C ends them. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const {
  PROVIDER_URL = 'http://localhost:4410',
  PAGE_URL = 'http://localhost:5173',
  TURNPIKE_URL,
  TURNPIKE_PORT = '4400',
  TURNPIKE_API_KEY,
} = process.env;

if (TURNPIKE_URL) {
  try {
    await fetch(new URL('/live', TURNPIKE_URL));
  } catch {
    console.error(
      `Nothing answers at TURNPIKE_URL, ${TURNPIKE_URL}. Start a server there, or unset it.`,
    );
    process.exit(1);
  }
}

const variables = {
  TURNPIKE_AUTH_FILE: at('auth.yaml'),
  TURNPIKE_CORS_ORIGINS: PAGE_URL,
  VITE_PROVIDER_URL: PROVIDER_URL,
  VITE_TURNPIKE_URL: TURNPIKE_URL ?? `http://localhost:${TURNPIKE_PORT}`,
  ...(TURNPIKE_API_KEY && { VITE_PAGE_TOKENS: '1' }),
};
const vite = at('../../node_modules/vite/bin/vite.js');
const programs = [
  [at('provider.mjs')],
  [vite, '--config', at('vite.config.mjs'), '--port', new URL(PAGE_URL).port],
  ...(TURNPIKE_URL ? [] : [[at('../../dist/main.js')]]),
];
const running = programs.map((program) =>
  spawn(process.execPath, program, { stdio: 'inherit', env: { ...process.env, ...variables } }),
);
const stop = () => running.forEach((one) => one.kill());
process.once('SIGTERM', stop);
for (const one of running) one.once('exit', stop);
