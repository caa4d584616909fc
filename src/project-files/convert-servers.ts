import { parseJson } from '../platform/parsing/parse-text.js';
import { isPlainObject } from '../platform/json.js';
import { parseDefinition, parseServerMap } from '../tools/mcp/definitions.js';
import { pickShellEnv } from '../tools/shell-env.js';
import type { WrittenText } from '../platform/text/written-text.js';
import type { ProjectSettings } from './convert-settings.js';
import type { Converted, Finding } from './finding.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServersSource {
  file: string;
  settings: Pick<ProjectSettings, 'servers'>;
  /** Variables that definitions may name. */
  environment: Environment;
}

/** Fields of definitions there that are not those of a session's server here. */
const fields: Readonly<Record<string, string>> = {
  headersHelper: 'it would run as the server: write headers',
  alwaysLoad: 'deferred: false is for the operator’s own servers',
  timeout: 'the operator says how long calls take',
};

/**
 * The servers of a `.mcp.json`, as a session gives them: `{name: definition}`. `${NAME}` and `${NAME:-default}` stand for
 * variables; one that is not set is a fault of its server.
 */
export function convertServers(
  written: WrittenText,
  { file, settings, environment }: ServersSource,
): Converted<Record<string, Record<string, unknown>>> {
  const refuse = (how: string) => ({
    value: {},
    findings: [{ file, verdict: 'refused' as const, how }],
  });
  if ('fault' in written) return refuse(`it ${written.fault}`);
  const parsed = parseJson(written.text);
  if ('fault' in parsed) return refuse(parsed.fault.message);
  if (!isPlainObject(parsed.value)) return refuse('it must be {"mcpServers": {"name": {…}}}');
  const { mcpServers, ...others } = parsed.value;
  const findings: Finding[] = Object.keys(others).map((key) => ({
    file,
    key,
    verdict: 'refused',
    how: 'it is not known here',
  }));
  const { value: servers, faults } = parseServerMap(mcpServers);
  findings.push(
    ...faults.map(({ path, message }): Finding => ({
      file,
      key: ['mcpServers', ...path].join('.'),
      verdict: 'refused',
      how: message,
    })),
  );
  const value: Record<string, Record<string, unknown>> = {};
  for (const [name, given] of Object.entries(servers)) {
    const found = convertServer(name, given, { settings, environment });
    findings.push(...found.findings.map((one) => ({ file, ...one })));
    if (found.value !== undefined) value[name] = found.value;
  }
  return { value, findings };
}

interface OneServer {
  value?: Record<string, unknown>;
  findings: Omit<Finding, 'file'>[];
}

function convertServer(
  name: string,
  given: Record<string, unknown>,
  { settings: { servers }, environment }: Pick<ServersSource, 'settings' | 'environment'>,
): OneServer {
  const key = `mcpServers.${name}`;
  const isOff = servers.off.includes(name) || (!servers.all && !servers.on.includes(name));
  if (isOff) return { findings: [{ key, verdict: 'same', how: 'the settings switch it off' }] };
  const left = Object.entries(given).filter(([field]) => Object.hasOwn(fields, field));
  const findings = left.map(([field]): Omit<Finding, 'file'> => ({
    key: `${key}.${field}`,
    verdict: 'refused',
    how: fields[field] ?? '',
  }));
  const kept = Object.entries(given).filter(([field]) => !Object.hasOwn(fields, field));
  const unset = new Set<string>();
  const value = expand(Object.fromEntries(kept), environment, unset) as Record<string, unknown>;
  if (unset.size > 0) {
    const how = `${[...unset].join(', ')} is not set: set it, or write \${NAME:-default}`;
    return { findings: [...findings, { key, verdict: 'refused', how }] };
  }
  const { value: definition, faults } = parseDefinition(name, value, 'session');
  if (definition === undefined) {
    const how = faults
      .map(({ path, message }) => `${path.slice(1).join('.')} ${message}`)
      .join('; ');
    return { findings: [...findings, { key, verdict: 'refused', how }] };
  }
  const needs =
    definition.kind === 'stdio'
      ? 'a server that is a command: the operator lets sessions have such with TURNPIKE_MCP_SESSION_STDIO'
      : `a server at ${new URL(definition.url).host}, which the operator lists in TURNPIKE_MCP_HOSTS`;
  return { value, findings: [...findings, { key, verdict: 'mapped', how: needs }] };
}

/** Replaces variables in every text of a value. Keys of the server itself count as not set. */
function expand(value: unknown, environment: Environment, unset: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
      (_whole, name: string, standard?: string) => {
        const found = pickShellEnv(environment, [name])[name] ?? standard;
        if (found === undefined) unset.add(name);
        return found ?? '';
      },
    );
  }
  if (Array.isArray(value)) return value.map((one) => expand(one, environment, unset));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, expand(one, environment, unset)]),
  );
}
