import path from 'node:path';
import type { Runtime } from '../runtime.js';
import { describeShells } from '../tools/sandbox/shells.js';

/** The ones to begin with; the page has all. */
const routes = [
  '  POST /api/harness/session/create     begin a session in a folder',
  '  POST /api/harness/turn               run a turn in it, streamed',
  '  POST /api/harness/attachments        upload files',
  '  GET  /agents                         the named agents',
  '  POST /agent/{name}/chat, …/stream    ask one of them',
  '  POST /api/chat, /agent/{name}/ag-ui  for front ends of the AI SDK and of AG-UI',
  '  GET  /health, /ready                 how the server is',
];

/** What `npm start` prints once it serves. */
export function describeStart(
  runtime: Pick<Runtime, 'config' | 'mode' | 'shells'>,
  url: string,
): string {
  const { config, mode, shells } = runtime;
  if (config.role === 'worker') return `Turnpike runs turns and serves ${url} (/health and /ready)`;
  const model =
    mode === 'rehearsal'
      ? 'rehearsal (offline; set ANTHROPIC_API_KEY for Claude)'
      : (config.model ?? 'as each turn names it');
  return [
    '',
    `Turnpike serves ${url}`,
    `  data    ${config.databaseUrl === undefined ? path.resolve(config.dataDir) : 'PostgreSQL and Redis'}`,
    `  model   ${model}`,
    `  bash    ${describeShells(shells)}`,
    `  console ${url}/`,
    `  API     ${url}/docs`,
    '',
    ...routes,
    '',
    'Try a turn:',
    '',
    `  ${exampleCurl(url)}`,
    '',
  ].join('\n');
}

/** One line that makes a session for the current folder and runs a turn in it. */
export function exampleCurl(url: string): string {
  const create = `curl -s ${url}/api/harness/session/create -d '{"projectRoot":"'"$PWD"'"}'`;
  const id = `$(${create} | grep -o 'sess_[0-9a-f-]*')`;
  return `curl -N ${url}/api/harness/turn -d '{"sessionId":"'"${id}"'","message":"Hello"}'`;
}
