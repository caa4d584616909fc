import { pickShellEnv } from '../shell-env.js';
import type { StdioDefinition } from './definitions.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a command gets of the environment of this process. */
const inherited = ['PATH', 'HOME', 'LANG'];

/** Variables without which programs do not reach the network in some companies. */
const ofNetworks =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|(?:HTTPS?|ALL|NO)_PROXY|npm_config_(?:registry|proxy|https_proxy|cafile)|PIP_INDEX_URL|UV_(?:DEFAULT_)?INDEX(?:_URL)?)$/i;

/** The whole environment of a command. */
export function childEnvironment(
  environment: Environment,
  definition: Pick<StdioDefinition, 'env'>,
): Record<string, string> {
  return { ...pickShellEnv(environment, inherited), ...definition.env };
}

/** What a command that does not come up may lack, as clauses that name variables of this process. */
export interface Lack {
  /** For turns. */
  short: string;
  /** With what gives the command these. */
  whole: string;
}

/** @returns undefined where this process has no variable that matters. */
export function describeLack(
  environment: Environment,
  definition: Pick<StdioDefinition, 'env'>,
): Lack | undefined {
  const names = Object.keys(environment)
    .filter((name) => ofNetworks.test(name) && environment[name] !== '')
    .filter((name) => environment[name] !== undefined && definition.env[name] === undefined)
    .toSorted();
  const [first, ...others] = names;
  if (first === undefined) return undefined;
  const some = others.length === 0 ? first : `${first} or ${others.length} more`;
  const entry = names.map((name) => `"${name}": "\${${name}}"`).join(', ');
  return {
    short: `if it needs ${some} of this server's variables, name them in its env`,
    whole: `its command gets ${inherited.join(', ')} of this server alone; if it needs ${names.join(', ')} too, add "env": {${entry}} to its definition`,
  };
}
