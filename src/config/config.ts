import path from 'node:path';
import { usesTls } from '../storage/redis/redis-address.js';
import { nearestName } from '../platform/parsing/nearest-name.js';
import { parseValue } from '../platform/parsing/parse-value.js';
import { isWithin } from '../platform/is-within.js';
import { isLoopbackHttp } from '../platform/net/addresses.js';
import type { Variable } from './variable.js';
import { removedVariables, variables } from './variables.js';
import { cloudNames, isCloud } from './variable-forms.js';

type Variables = typeof variables;
/** The environment as one validated and typed object: nothing else reads `process.env`. */
export type Config = {
  [Key in keyof Variables]: Variables[Key] extends Variable<infer T> ? T : never;
} & {
  /**
   * Values that logs and errors leave out: every secret, under each of its names, and the passwords
   * of URLs.
   */
  secrets: readonly string[];
};

/** Injects the process's `Config`. */
export const CONFIG = Symbol('Config');

/** The environment as it was given. Commands of tools see the variables that do not configure the server. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Injects the process's `Environment`. */
export const ENVIRONMENT = Symbol('Environment');

/** Variables that the command line reads and the server does not. */
const clientVariables: readonly string[] = ['TURNPIKE_URL'];

export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/**
 * @param given usually `process.env`. Empty values count as unset, and so do those that Kubernetes
 *   makes for a Service.
 * @param options `needsRedis`: whether a database on a server needs Redis beside it; commands on the database alone
 *   do not.
 * @throws ConfigError that names every bad variable, its value and what is allowed.
 */
export function parseConfig(
  given: Record<string, string | undefined>,
  { needsRedis = true }: { needsRedis?: boolean } = {},
): Config {
  const environment = withoutServiceLinks(given);
  const problems: string[] = [];
  const known = new Set<string>(clientVariables);
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable<unknown>>(variables)) {
    for (const name of variable.names) known.add(name);
    const name = variable.names.find((candidate) => environment[candidate]?.trim());
    const text = name === undefined ? undefined : environment[name];
    const raw = variable.isExact === true ? text : text?.trim();
    const { value, faults = [] } =
      raw === undefined
        ? { value: variable.fallback }
        : parseValue(variable.shape, raw, { showsGiven: variable.secret !== true });
    // The message of a list shows the entry that is wrong.
    problems.push(...faults.map(({ message }) => `${name} ${message}`));
    values[key] = value;
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith('TURNPIKE_') && !known.has(name))
      problems.push(unknownVariable(name, known));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  values['secrets'] = secretsIn(environment);
  // Every key of `variables` was given a value of its type by its own parser.
  const config = values as Config;
  const contradictions = findContradictions(config, needsRedis);
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return config;
}

function secretsIn(environment: Record<string, string | undefined>): string[] {
  const secrets = Object.values<Variable<unknown>>(variables).filter(
    ({ secret }) => secret === true,
  );
  const values = secrets.flatMap(({ names }) => names.map((name) => environment[name]?.trim()));
  const given = values.filter((value) => value !== undefined);
  return [...given, ...given.flatMap(passwordsIn)];
}

/** Passwords of a URL, which may have several hosts, as they are written and as they are meant. */
function passwordsIn(value: string): string[] {
  const [, password] = /^[a-z][\w+.-]*:\/\/[^/?#:]*:([^/?#]*)@/i.exec(value) ?? [];
  if (password === undefined) return [];
  const encoded = URL.canParse(value) ? [new URL(value).password] : [];
  return [password, decoded(password), ...encoded];
}

/** The text itself where it is not percent-encoded: a password may have a `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Variables that Kubernetes makes count as unset: `TURNPIKE_PORT` would be a URL, others unknown. */
function withoutServiceLinks(given: Record<string, string | undefined>) {
  const links = new Set(findServiceLinks(given));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !links.has(name)));
}

/** Values that are valid alone and contradict each other. */
function findContradictions(config: Config, needsRedis: boolean): string[] {
  const { redis, databaseUrl, role } = config;
  const problems: string[] = [];
  const isHalf = (redis === undefined) !== (databaseUrl === undefined);
  if (isHalf && (needsRedis || databaseUrl === undefined)) {
    const [given, missing] =
      redis === undefined ? ['DATABASE_URL', 'REDIS_URL'] : ['REDIS_URL', 'DATABASE_URL'];
    problems.push(
      `${given} is set and ${missing} is not; set both for several processes, or neither for one that needs nothing`,
    );
  }
  if (role !== 'all' && redis === undefined && databaseUrl === undefined) {
    problems.push(
      `TURNPIKE_ROLE is "${role}"; without REDIS_URL and DATABASE_URL one process does it all, and the only role is "all"`,
    );
  }
  const { toolHookUrl, toolHookSecret } = config;
  if ((toolHookUrl === undefined) !== (toolHookSecret === undefined)) {
    const [given, missing] = toolHookUrl === undefined ? ['SECRET', 'URL'] : ['URL', 'SECRET'];
    problems.push(
      `TURNPIKE_TOOL_HOOK_${given} is set and TURNPIKE_TOOL_HOOK_${missing} is not; set both, or neither`,
    );
  }
  return [
    ...problems,
    ...findTlsFaults(config),
    ...findFolderFaults(config),
    ...findS3Faults(config),
    ...findProviderFaults(config),
  ];
}

/** A server without a model, and requests that everybody on the way could read. */
function findProviderFaults(config: Config): string[] {
  const { provider, providerProfile: profile, model, egressAllow, egressPrivateHosts } = config;
  const { makers, apiKey } = config;
  const isForClaude = ['anthropic', 'compatible', ...cloudNames].includes(profile);
  const hasKey = apiKey !== undefined || isCloud(profile);
  const plain = egressAllow
    .map((origin) => new URL(origin))
    .filter((url) => url.protocol === 'http:' && !isLoopbackHttp(url))
    .filter(({ hostname }) => !egressPrivateHosts.includes(hostname));
  return [
    ...(isForClaude || provider === 'rehearsal' || model !== undefined
      ? []
      : [
          `TURNPIKE_PROVIDER_PROFILE is "${profile}", and TURNPIKE_MODEL is not set; name a model that the server has`,
        ]),
    ...(makers.length > 0 && !hasKey && isForClaude && model === undefined
      ? [
          `TURNPIKE_MAKERS is set, and ANTHROPIC_API_KEY and TURNPIKE_MODEL are not; name the default model, as ${makers[0]?.name ?? ''}/NAME`,
        ]
      : []),
    ...plain.map(
      ({ origin, hostname }) =>
        `TURNPIKE_EGRESS_ALLOW has ${origin}, where everybody on the way can read what is sent; use https, or list ${hostname} in TURNPIKE_EGRESS_PRIVATE_HOSTS if it is inside of your network`,
    ),
  ];
}

/** Files of TLS without their other half, or for a connection that is plain. */
function findS3Faults(config: Config): string[] {
  const { s3Url, s3AccessKeyId, s3SecretAccessKey, s3SessionToken, blobDir } = config;
  const key = {
    TURNPIKE_S3_ACCESS_KEY_ID: s3AccessKeyId,
    TURNPIKE_S3_SECRET_ACCESS_KEY: s3SecretAccessKey,
  };
  const isSet = (value: string | undefined): boolean => value !== undefined;
  if (s3Url === undefined) {
    const [unused] = Object.entries({ ...key, TURNPIKE_S3_SESSION_TOKEN: s3SessionToken })
      .filter(([, value]) => isSet(value))
      .map(([name]) => name);
    return unused === undefined ? [] : [`${unused} is set, and TURNPIKE_S3_URL is not; set both`];
  }
  const missing = Object.entries(key).filter(([, value]) => !isSet(value));
  return [
    ...missing.map(([name]) => `TURNPIKE_S3_URL is set and ${name} is not; set both`),
    ...(isSet(blobDir)
      ? ['TURNPIKE_S3_URL and TURNPIKE_BLOB_DIR are both set; files have one place, so unset one']
      : []),
  ];
}

function findTlsFaults({ redis, ...files }: Config): string[] {
  const { redisAuthority, redisCertificate, redisKey } = files;
  const problems: string[] = [];
  if ((redisCertificate === undefined) !== (redisKey === undefined)) {
    const [given, missing] =
      redisKey === undefined
        ? ['TURNPIKE_REDIS_CERT_FILE', 'TURNPIKE_REDIS_KEY_FILE']
        : ['TURNPIKE_REDIS_KEY_FILE', 'TURNPIKE_REDIS_CERT_FILE'];
    problems.push(`${given} is set and ${missing} is not; set both, or neither`);
  }
  if (redis === undefined || usesTls(redis)) return problems;
  const unused = Object.entries({
    TURNPIKE_REDIS_CA_FILE: redisAuthority,
    TURNPIKE_REDIS_CERT_FILE: redisCertificate,
  }).find(([, file]) => file !== undefined);
  if (unused !== undefined) {
    problems.push(`${unused[0]} is set, and REDIS_URL is without TLS; begin it with rediss`);
  }
  return problems;
}

/** Folders that are inside of a folder they must be beside. */
function findFolderFaults(config: Config): string[] {
  const { dataDir, instructionRoot, projectsDir, projectRoot, projectRoots, toolsDir } = config;
  const written = [projectsDir, projectRoot, ...projectRoots].filter((one) => one !== undefined);
  const closed = [path.resolve(dataDir), instructionRoot];
  return [
    ...closed
      .filter((folder) => isWithin(folder, projectsDir))
      .map(
        (folder) =>
          `TURNPIKE_PROJECTS_DIR is ${JSON.stringify(projectsDir)}; no session works in ${folder}, which is the server's own: name a folder beside it`,
      ),
    ...written
      .filter((folder) => toolsDir !== undefined && isWithin(folder, toolsDir))
      .map(
        (folder) =>
          `TURNPIKE_TOOLS_DIR is ${JSON.stringify(toolsDir)}; agents write in ${folder}, and would write tools with the rights of the server: name a folder elsewhere`,
      ),
    ...projectRoots
      .filter((folder) => isWithin(projectsDir, folder))
      .map(
        (folder) =>
          `TURNPIKE_PROJECT_ROOTS has ${JSON.stringify(folder)}; in TURNPIKE_PROJECTS_DIR (${projectsDir}) every principal has its own folder: name folders beside it`,
      ),
  ];
}

function unknownVariable(name: string, known: ReadonlySet<string>): string {
  const fixed = removedVariables[name];
  if (fixed !== undefined)
    return `${name} is no configuration variable any more: ${fixed}; remove it`;
  const near = nearestName(name, [...known]);
  return `${name} is not a configuration variable${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** Names of variables that Kubernetes makes in every pod for a Service `turnpike` or `turnpike-…`. */
const names =
  /^TURNPIKE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** Names that are ours unless their value is an address: `TURNPIKE_PORT` of a Service is one. */
const portName = /^TURNPIKE_(?:[A-Z0-9_]+_)?PORT$/;
const address = /^(?:tcp|udp|sctp):\/\//i;

/**
 * The variables that Kubernetes makes for Services whose names begin with `turnpike`, in every pod of
 * their namespace. They configure nothing. Names in alphabetical order. Pure.
 */
export function findServiceLinks(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment)
    .filter(([name, value = '']) => isServiceLink(name, value))
    .map(([name]) => name)
    .toSorted();
}

function isServiceLink(name: string, value: string): boolean {
  return names.test(name) || (portName.test(name) && address.test(value.trim()));
}
