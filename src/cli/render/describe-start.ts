import path from 'node:path';
import type { Config } from '../../config/config.js';
import type { ProviderMode } from '../../provider/provider-config.js';
import { describeShells, type Shells } from '../../tools/shells.js';
import type { CreatedKeyDto } from '../../access/keys/key.dto.js';
import type { KeyDto } from '../../access/keys/key.dto.js';

/** The routes to begin with; `/docs` describes all. */
const routes = [
  '  POST /api/harness/session/create     begin a session in a folder',
  '  POST /api/harness/turn               run a turn in it, streamed',
  '  POST /api/harness/attachments        upload files',
  '  GET  /agents                         the named agents',
  '  POST /agent/{name}/chat, …/stream    ask one of them',
  '  POST /api/chat, /agent/{name}/ag-ui  for front ends of the AI SDK and of AG-UI',
  '  GET  /health, /ready                 how the server is',
];

export interface StartReport {
  config: Config;
  mode: ProviderMode;
  shells: Shells;
}

/** The text that `npm start` prints in a terminal once it serves. */
export function describeStart(started: StartReport, url: string): string {
  if (started.config.role === 'worker') {
    return `Turnpike runs turns and serves ${url} (/health and /ready)`;
  }
  const { data, model, bash } = describeParts(started);
  return [
    '',
    `Turnpike serves ${url}`,
    `  data    ${data}`,
    `  model   ${model}`,
    `  bash    ${bash}`,
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

/** The facts of `describeStart` as the fields of one log line. */
export function startFields(started: StartReport, url: string) {
  const { role } = started.config;
  const what = role === 'worker' ? 'runs turns and serves' : 'serves';
  return { url, role, ...describeParts(started), message: `Turnpike ${what} ${url} from now on` };
}

function describeParts({ config, mode, shells }: StartReport) {
  const isEmbedded = config.databaseUrl === undefined;
  const model = config.model ?? 'as each turn names it';
  return {
    data: isEmbedded ? path.resolve(config.dataDir) : 'PostgreSQL and Redis',
    model: mode === 'rehearsal' ? describeRehearsal(config) : model,
    bash: describeShells(shells),
  };
}

function describeRehearsal({ makers }: StartReport['config']): string {
  if (makers.length === 0) return 'rehearsal (offline; set ANTHROPIC_API_KEY for Claude)';
  return `rehearsal (offline) of ${makers.map(({ name }) => name).join(', ')} and Claude`;
}

/** A shell line that creates a session for the current folder and runs a turn in it. */
function exampleCurl(url: string): string {
  const create = `curl -s ${url}/api/harness/session/create -d '{"projectRoot":"'"$PWD"'"}'`;
  const id = `$(${create} | grep -o 'sess_[0-9a-f-]*')`;
  return `curl -N ${url}/api/harness/turn -d '{"sessionId":"'"${id}"'","message":"Hello"}'`;
}

/** A new key in words, without its secret. */
export function describeCreated({ key }: CreatedKeyDto): string {
  return [
    `Key ${key.id} of ${key.principal}, for ${key.scopes.join(', ')}${describeExpiry(key)}. It is not shown again.`,
    'Send it with every request: Authorization: Bearer tpk_…',
  ].join('\n');
}

export function describeExpiry({ expiresAt }: KeyDto): string {
  return expiresAt === null ? '' : `, until ${expiresAt}`;
}
