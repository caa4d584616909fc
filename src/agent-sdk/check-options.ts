import { nearestName } from '../platform/parsing/nearest-name.js';
import type { Options } from './query-options.js';
import { hookEvents } from './query-options.js';
import { sdkPermissionModes } from './sdk-messages.js';
import { UnsupportedError } from './sdk-errors.js';

/** Options of a child process, which there is none of. */
const ofChild = [
  'debug',
  'debugFile',
  'env',
  'executable',
  'executableArgs',
  'extraArgs',
  'pathToClaudeCodeExecutable',
  'spawnClaudeCodeProcess',
  'stderr',
] as const;

/** The options that are honoured. */
const honoured = [
  'abortController',
  'agent',
  'agents',
  'allowDangerouslySkipPermissions',
  'allowedTools',
  'canUseTool',
  'continue',
  'cwd',
  'disallowedTools',
  'effort',
  'fallbackModel',
  'forkSession',
  'hooks',
  'includePartialMessages',
  'maxBudgetUsd',
  'maxTurns',
  'mcpServers',
  'model',
  'outputFormat',
  'permissionMode',
  'persistSession',
  'resume',
  'resumeSessionAt',
  'sessionId',
  'settingSources',
  'settings',
  'skills',
  'strictMcpConfig',
  'systemPrompt',
  'thinking',
  'tools',
] as const satisfies readonly (keyof Options)[];

/** The options that are not honoured, with what to do instead. */
const refused: Readonly<Record<string, string>> = {
  additionalDirectories: 'a session works in one folder; give a folder above both as cwd',
  betas: 'leave it out; the server sends what the model of the turn needs',
  enableFileCheckpointing: 'keep the folder under version control',
  managedSettings: 'set permissions of the server (TURNPIKE_PERMISSIONS_FILE)',
  maxThinkingTokens: 'set effort',
  onElicitation: 'questions of MCP servers are answered in the console, or by client.approvals.say',
  permissionPromptToolName: 'use canUseTool',
  plugins: 'put skills and agents into the instruction folder of the server',
  sandbox: "the server's operator sets its sandbox",
  sessionStore: 'sessions are in the database of the server; leave it out',
};

/**
 * Checks what a query is given, before anything is sent.
 *
 * @throws UnsupportedError for the first option that is not honoured or not known; TypeError for a value of a wrong form.
 */
export function checkOptions(options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || isOf(ofChild, name)) continue;
    if (!isOf(honoured, name)) throw new UnsupportedError(`The option ${name}`, adviceFor(name));
  }
  checkSources(options['settingSources']);
  checkHooks(options['hooks']);
  const { permissionMode } = options;
  if (permissionMode !== undefined) checkMode(permissionMode, 'permissionMode');
  for (const name of ['maxTurns', 'maxBudgetUsd']) {
    const value = options[name];
    if (value !== undefined && !(typeof value === 'number' && value > 0)) {
      throw new TypeError(`${name} must be a number greater than 0, not ${JSON.stringify(value)}`);
    }
  }
}

/** The options that have no effect, as there is no child process, and no home of a person. */
export function optionsWithoutEffect(options: Readonly<Record<string, unknown>>): string[] {
  const names: string[] = ofChild.filter((name) => options[name] !== undefined);
  const { settingSources } = options;
  const isOfUser = Array.isArray(settingSources) && settingSources.includes('user');
  return isOfUser ? [...names, 'settingSources user'] : names;
}

/** @throws UnsupportedError for a mode that there is not here. */
export function checkMode(mode: unknown, what: string): void {
  if (isOf(sdkPermissionModes, mode)) return;
  throw new UnsupportedError(
    `${what} ${JSON.stringify(mode)}`,
    `use one of ${sdkPermissionModes.join(', ')}`,
  );
}

const sources = ['user', 'project', 'local'];

function checkSources(given: unknown): void {
  if (given === undefined) return;
  const odd = Array.isArray(given)
    ? given.find((one) => !sources.some((source) => source === one))
    : given;
  if (odd === undefined) return;
  throw new UnsupportedError(
    `settingSources ${JSON.stringify(odd)}`,
    `give a list of ${sources.join(', ')}`,
  );
}

/** Whether the session takes the files of its project. */
export function takesProject({ settingSources = [] }: Options): boolean {
  return settingSources.some((source) => source !== 'user');
}

function checkHooks(hooks: unknown): void {
  if (typeof hooks !== 'object' || hooks === null) return;
  const event = Object.keys(hooks).find((name) => !isOf(hookEvents, name));
  if (event !== undefined) {
    throw new UnsupportedError(`hooks.${event}`, `there are ${hookEvents.join(', ')}`);
  }
}

function adviceFor(name: string): string {
  const advice = refused[name];
  if (advice !== undefined) return advice;
  const near = nearestName(name, honoured);
  return near === undefined ? 'leave it out' : `did you mean ${near}?`;
}

function isOf<Name extends string>(names: readonly Name[], name: unknown): name is Name {
  return names.some((known) => known === name);
}
