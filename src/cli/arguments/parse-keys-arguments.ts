import { compact } from '../../platform/compact.js';
import { parseCall } from './parse-call.js';
import { serverOptions } from './server-options.js';
import { UsageError } from './usage-error.js';

export type KeysArguments = { json: boolean; url: string | undefined } & (
  | { action: 'create'; body: Record<string, unknown> }
  | { action: 'list' }
  | { action: 'revoke'; id: string }
);

const config = {
  allowPositionals: true,
  options: {
    principal: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    expires: { type: 'string' },
    'project-root': { type: 'string', multiple: true },
    'requests-per-minute': { type: 'string' },
    'concurrent-turns': { type: 'string' },
    'tokens-per-day': { type: 'string' },
    'usd-per-day': { type: 'string' },
    json: { type: 'boolean', default: false },
    ...serverOptions,
  },
} as const;

const limits = {
  'requests-per-minute': 'requestsPerMinute',
  'concurrent-turns': 'concurrentTurns',
  'tokens-per-day': 'tokensPerDay',
  'usd-per-day': 'usdPerDay',
} as const;

type Values = ReturnType<typeof parseCall<typeof config>>['values'];

/** Parses the arguments after `turnpike keys`. The route validates the values. @throws UsageError. */
export function parseKeysArguments(args: readonly string[]): KeysArguments {
  const { values, positionals } = parseCall(args, config);
  const { json, url } = values;
  const [action, id, ...more] = positionals;
  if (action === 'list' && id === undefined) return { action, json, url };
  if (action === 'revoke' && id !== undefined && more.length === 0)
    return { action, id, json, url };
  if (action !== 'create' || id !== undefined) {
    throw new UsageError(
      'turnpike keys create --principal NAME, turnpike keys list, or turnpike keys revoke ID',
    );
  }
  if (values.principal === undefined) {
    throw new UsageError('A key needs a principal: turnpike keys create --principal NAME');
  }
  return { action, json, url, body: toBody(values) };
}

function toBody(values: Values): Record<string, unknown> {
  const { principal, name, scopes, expires, 'project-root': projectRoots } = values;
  const given = Object.entries(limits).flatMap(([option, field]) => {
    const value = values[option as keyof typeof limits];
    return value === undefined ? [] : [[field, toNumber(option, value)] as const];
  });
  return compact({
    principal,
    name,
    scopes: scopes?.split(',').map((scope) => scope.trim()),
    expiresIn: expires,
    projectRoots,
    limits: given.length === 0 ? undefined : Object.fromEntries(given),
  });
}

function toNumber(option: string, value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new UsageError(`--${option} is a number, not ${value}`);
}
