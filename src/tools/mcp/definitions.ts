import path from 'node:path';
import * as z from 'zod/mini';
import {
  parseLeniently,
  parseValue,
  within,
  type Parsed,
  type Fault,
  type Wording,
} from '../../platform/parsing/parse-value.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import { onWrongType, checkedBy } from '../../platform/parsing/shapes.js';

/** A server of one turn. */
export interface McpServer {
  name: string;
  definition: McpDefinition;
  /** The only session that may use the connection; absent: all sessions with an equal definition. */
  onlyFor?: string;
}

/** Reason why a server, or a tool of it, is unavailable: for clients and the model, without secrets. */
export interface McpProblem {
  server: string;
  reason: string;
}

/** The servers of an agent's file. */
export interface AgentServers {
  /** Names of configured servers. */
  named: readonly string[];
  /** Definitions in the agent's file, by name. */
  own: Readonly<Record<string, McpDefinition>>;
}

const secretName = /key|token|secret|passw|auth|credential|cookie|dsn/i;

/** Variables whose names suggest a secret. */
function secretNames(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter((name) => secretName.test(name));
}

/**
 * Values to redact: of a definition's headers, of its secret variables, and of its URL's query. For
 * `Bearer abc` also `abc` alone, which a server may repeat.
 */
export function secretsOf(definition: McpDefinition): string[] {
  const values =
    definition.kind === 'stdio'
      ? definition.secretEnv.map((name) => definition.env[name] ?? '')
      : [
          ...Object.values(definition.headers),
          ...new URL(definition.url).searchParams.values(),
          ...(definition.oauth?.clientSecret === undefined ? [] : [definition.oauth.clientSecret]),
        ];
  return values.flatMap((value) => {
    const [, alone] = /^\S+\s+(\S+)$/.exec(value.trim()) ?? [];
    return alone === undefined ? [value] : [value, alone];
  });
}

const MAX_TEXT_CHARS = 4_096;
const MAX_VALUE_CHARS = 8_192;
const MAX_ITEMS = 100;

/** Headers of HTTP itself or of the transport, which a definition may not set. */
const reservedHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept|mcp-.*|proxy-.*)$/i;

const textOf = (most: number) => {
  const expected = `must be text of at most ${most} characters`;
  return z
    .string(expected)
    .check(z.refine((text) => text.length <= most && !text.includes('\0'), expected));
};

const text = textOf(MAX_TEXT_CHARS).check(
  z.refine((value) => value.trim() !== '', 'must be text that is not blank'),
);

const mapOf = (name: z.ZodMiniType<string, string>, value: z.ZodMiniType<string>) => {
  const expected = `must be a map of at most ${MAX_ITEMS} texts`;
  return z._default(
    z
      .record(name, value, expected)
      .check(z.refine((map) => Object.keys(map).length <= MAX_ITEMS, expected)),
    {},
  );
};

const listExpected = `must be a list of at most ${MAX_ITEMS} texts`;
const texts = z._default(
  z.array(textOf(MAX_TEXT_CHARS), listExpected).check(z.maxLength(MAX_ITEMS, listExpected)),
  [],
);

const env = mapOf(
  z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable')),
  textOf(MAX_VALUE_CHARS),
);

const headers = mapOf(
  z.string().check(
    checkedBy((name) => {
      if (!/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return 'is not the name of a header';
      return reservedHeaders.test(name) ? 'is set by the protocol; leave it out' : undefined;
    }),
  ),
  textOf(MAX_VALUE_CHARS).check(z.regex(/^[ -~\u0080-\u00ff]*$/, 'must be one line')),
);

const url = z.pipe(
  text.check(
    checkedBy((value) => {
      const { protocol = '', username, password } = URL.canParse(value) ? new URL(value) : {};
      if (!/^https?:$/.test(protocol)) return 'must be a URL, https://host/path';
      const isPlain = username === '' && password === '';
      return isPlain ? undefined : 'must not contain credentials; put them into headers';
    }),
  ),
  z.transform((value) => {
    const parsed = new URL(value);
    parsed.hash = '';
    return parsed.href;
  }),
);

function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const parsed = new URL(value);
  return (parsed.protocol === 'https:' || isLoopbackHttp(parsed)) && !/[?#]/.test(value);
}

const flag = z._default(z.boolean(), false);

const timeoutExpected = 'must be a number of milliseconds from 100 to 86400000';
const milliseconds = z
  .int(timeoutExpected)
  .check(z.gte(100, timeoutExpected), z.lte(86_400_000, timeoutExpected));

const deferredExpected = `must be true, false or a map of at most ${MAX_ITEMS} tools to these`;
const deferredTools = z
  .record(textOf(MAX_TEXT_CHARS), z.boolean())
  .check(z.refine((tools) => Object.keys(tools).length <= MAX_ITEMS));

const atMost = (most: number) => {
  const expected = `must be a number from 1 to ${most}`;
  return z.exactOptional(z.int(expected).check(z.gte(1, expected), z.lte(most, expected)));
};

const sampling = z.strictObject({
  /** Tokens of a reply at most. Absent: 4096. */
  maxTokens: atMost(100_000),
  /** Model calls that one call of a tool may ask for. Absent: 10. */
  maxCalls: atMost(1_000),
});
const samplingExpected = 'must be true, false or a map with maxTokens and maxCalls';

/**
 * `trustAnnotations` is the operator's alone; a session's connections are its own without `perSession`, and its calls
 * take no longer than all others.
 */
const traits = {
  /**
   * Whether the server's annotations of its tools (read-only, idempotent) are trusted. Otherwise every
   * tool counts as a command that must not run twice.
   */
  trustAnnotations: flag,
  /** Whether each session has a connection of its own: for a server that keeps state. */
  perSession: flag,
  /** Whether the server is told the folder of the session's project, as its root. */
  roots: flag,
  /** Whether the server may ask the model of a turn that calls it, at the turn's expense. Absent: it may not. */
  sampling: z.exactOptional(z.union([z.boolean(), sampling], samplingExpected)),
  /** Longest time of a call without progress, in ms. Absent: that of all tools. */
  timeoutMs: z.exactOptional(milliseconds),
  /** An older name of `timeoutMs`, which counts where both are given. */
  timeout: z.exactOptional(milliseconds),
  /** Longest time of a call that keeps reporting progress, in ms. Absent: 30 minutes. */
  maxTimeoutMs: z.exactOptional(milliseconds),
  /**
   * Whether a search may find its tools where a turn has many; or that of tools by their names. Otherwise their
   * definitions are in every request. Absent: it may.
   */
  deferred: z.exactOptional(z.union([z.boolean(), deferredTools], deferredExpected)),
  /** The era of the protocol. Absent: the server is asked. */
  protocol: z._default(
    z.literal(['auto', 'legacy', '2026-07-28'], 'must be auto, legacy or 2026-07-28'),
    'auto',
  ),
};
const notOfSessions = {
  trustAnnotations: true,
  perSession: true,
  roots: true,
  sampling: true,
  timeoutMs: true,
  timeout: true,
  maxTimeoutMs: true,
} as const;
const type = z.exactOptional(z.unknown());

const grantExpected = 'must be authorization_code or client_credentials';
const scopesExpected = 'must be a list of scopes, each without blanks';

/** How people, or the deployment itself, log in at a server. Each field is for a server whose metadata do not say it. */
const oauth = z
  .strictObject({
    /** The client that was registered with the authorization server by hand. Absent: the deployment's own. */
    clientId: z.exactOptional(text),
    clientSecret: z.exactOptional(text),
    /** Absent: those that the server asks for. */
    scopes: z.exactOptional(
      z.array(z.string().check(z.regex(/^[!#-[\]-~]{1,256}$/, scopesExpected)), scopesExpected),
    ),
    /** The only authorization server that counts. Absent: the one that the server names. */
    expectedIssuer: z.exactOptional(
      text.check(z.refine(isIssuer, 'must be a URL, https://host, without a query')),
    ),
    /** `false`: the authorization server is not told which server the tokens are for. */
    resource: z.exactOptional(z.literal(false, 'must be false, or left out')),
    /** `client_credentials`: the deployment logs in as itself, and no person is asked. */
    grant: z.exactOptional(z.literal(['authorization_code', 'client_credentials'], grantExpected)),
  })
  .check(
    checkedBy(({ clientId, clientSecret, expectedIssuer, grant }) => {
      if (grant === 'client_credentials' && clientSecret === undefined) {
        return 'needs clientId and clientSecret with the grant client_credentials';
      }
      if (clientSecret === undefined) return undefined;
      if (clientId === undefined) return 'needs clientId with clientSecret';
      // A server that names an authorization server of its own would be sent the secret.
      return expectedIssuer === undefined ? 'needs expectedIssuer with clientSecret' : undefined;
    }),
  );

export type OAuthSettings = z.infer<typeof oauth>;

const http = z.strictObject({ type, url, headers, oauth: z.exactOptional(oauth), ...traits });
const stdio = z.strictObject({
  type,
  command: text,
  args: texts,
  /** Variables in addition to PATH, HOME and LANG; nothing else is inherited. */
  env,
  /** Absolute working folder. Absent: that of the server's process. */
  cwd: z.exactOptional(text.check(z.refine(path.isAbsolute, 'must be an absolute path'))),
  /** Names of variables that a session may set for itself. */
  sessionEnv: texts,
  ...traits,
});

export type ProtocolChoice = z.infer<typeof traits.protocol>;

export type HttpDefinition = { kind: 'http' } & Omit<z.infer<typeof http>, 'type'> & {
    /** HTTP with SSE is the transport before streamable HTTP. */
    transport: 'streamable' | 'sse';
  };
export type StdioDefinition = { kind: 'stdio' } & Omit<z.infer<typeof stdio>, 'type'> & {
    /** Names of variables whose values are redacted. */
    secretEnv: readonly string[];
  };

/** A validated definition of an MCP server: how the server is run or reached. */
export type McpDefinition = StdioDefinition | HttpDefinition;

/** The fields of definitions by their author. */
const httpShapes = {
  file: http,
  agent: z.omit(http, { trustAnnotations: true }),
  session: z.omit(http, { ...notOfSessions }),
};
const stdioShapes = {
  file: stdio,
  agent: z.omit(stdio, { trustAnnotations: true }),
  session: z.omit(stdio, { ...notOfSessions, sessionEnv: true }),
};

/** What a session gives to a server of its agent. */
const credentials = z.strictObject({ headers, env });
export type Credentials = z.infer<typeof credentials>;
export const credentialsShape = z.pipe(
  credentials,
  z.transform((credentials) => ({ credentials })),
);

/** The author of a definition: only the operator's file may declare a server trusted. */
export type DefinitionSource = 'file' | 'agent' | 'session';

/** Values may be credentials: no fault repeats them. */
export const hidden: Wording = { showsGiven: false };

const MAX_SERVERS = 32;
const nameExpected =
  "is not a name: use 1 to 32 of a-z A-Z 0-9 _ -, no '_' at an end and no two of them";
const httpTypes: readonly unknown[] = ['http', 'streamable-http', 'sse'];

/** A map of names to servers, whose fields are parsed apart. */
const serverMap = z.prefault(
  z
    .record(
      z.string().check(z.regex(/^(?!_)(?!.*__)[a-zA-Z0-9_-]{1,32}(?<!_)$/, nameExpected)),
      z.record(z.string(), z.unknown(), 'must be a map with a command or a url'),
      { error: onWrongType('must be a map of names to servers') },
    )
    .check(
      z.refine(
        (servers) => Object.keys(servers).length <= MAX_SERVERS,
        `must have at most ${MAX_SERVERS} servers`,
      ),
    ),
  {},
);

const untrusted = { trustAnnotations: false, perSession: false, roots: false };

/** The entries of a map of servers with a valid name and a map as their value, and the faults of the others. */
export function parseServerMap(input: unknown): {
  value: Record<string, Record<string, unknown>>;
  faults: Fault[];
} {
  return parseLeniently(serverMap, input, hidden);
}

/** Parses a map of names to definitions, in the shape common to clients of MCP. */
export function parseDefinitions(
  input: unknown,
  source: DefinitionSource,
): Parsed<Record<string, McpDefinition>> {
  const { value: servers, faults } = parseServerMap(input);
  const definitions: Record<string, McpDefinition> = {};
  for (const [name, fields] of Object.entries(servers)) {
    const parsed = parseDefinition(name, fields, source);
    if (parsed.faults) faults.push(...parsed.faults);
    else definitions[name] = parsed.value;
  }
  return faults.length > 0 ? { faults } : { value: definitions };
}

/** Parses the definition of the server `name`, which the paths of its faults begin with. */
export function parseDefinition(
  name: string,
  input: Record<string, unknown>,
  source: DefinitionSource,
): Parsed<McpDefinition> {
  const { type = input['url'] === undefined ? 'stdio' : 'http' } = input;
  if (httpTypes.includes(type)) return within([name], parseHttp(input, source));
  if (type === 'stdio') return within([name], parseStdio(input, source));
  return { faults: [{ path: [name, 'type'], message: 'must be stdio, http or sse' }] };
}

function parseHttp(input: unknown, source: DefinitionSource): Parsed<McpDefinition> {
  const { value, faults } = parseValue(httpShapes[source], input, hidden);
  if (faults) return { faults };
  const { type, ...fields } = value;
  const transport = type === 'sse' ? 'sse' : 'streamable';
  return { value: { kind: 'http', transport, ...untrusted, ...fields } };
}

function parseStdio(input: unknown, source: DefinitionSource): Parsed<McpDefinition> {
  const { value, faults } = parseValue(stdioShapes[source], input, hidden);
  if (faults) return { faults };
  const { type: _type, ...fields } = value;
  // All variables of a session are its secrets, whatever their names.
  const secretEnv = source === 'session' ? Object.keys(fields.env) : secretNames(fields.env);
  return { value: { kind: 'stdio', secretEnv, sessionEnv: [], ...untrusted, ...fields } };
}
