import { parseJson } from '../platform/parsing/parse-text.js';
import { isPlainObject } from '../platform/json.js';
import type { WrittenText } from '../platform/text/written-text.js';
import type { PermissionMode } from '../storage/shapes/stored-options.js';
import { convertRule, type RuleList } from './convert-rule.js';
import type { RulePlace } from './convert-path.js';
import type { Converted, Finding } from './finding.js';
import { convertModel } from './model-names.js';

/** What settings say that sessions honour. A later layer wins; lists of rules are put together. */
export interface ProjectSettings {
  allow: string[];
  ask: string[];
  deny: string[];
  mode?: PermissionMode;
  /** Servers of `.mcp.json` that are used: all, those that are named, and none of those that are switched off. */
  servers: { all: boolean; on: string[]; off: string[] };
}

export const noSettings = (): ProjectSettings => ({
  allow: [],
  ask: [],
  deny: [],
  servers: { all: true, on: [], off: [] },
});

interface Layer {
  /** The file, for findings. */
  file: string;
  place: RulePlace;
}

/** Adds a file of settings to those of the layers below it. A file that is no JSON is refused, as whole. Pure. */
export function addSettings(
  below: ProjectSettings,
  written: WrittenText,
  { file, place }: Layer,
): Converted<ProjectSettings> {
  const refuse = (how: string): Converted<ProjectSettings> => ({
    value: below,
    findings: [{ file, verdict: 'refused', how }],
  });
  if ('fault' in written) return refuse(`it ${written.fault}`);
  const parsed = parseJson(written.text);
  if ('fault' in parsed) return refuse(parsed.fault.message);
  if (!isPlainObject(parsed.value)) return refuse('it must be a map of settings');
  const value: ProjectSettings = {
    ...below,
    allow: [...below.allow],
    ask: [...below.ask],
    deny: [...below.deny],
    servers: { ...below.servers, on: [...below.servers.on], off: [...below.servers.off] },
  };
  const findings = Object.entries(parsed.value).flatMap(([key, given]) =>
    addKey(value, key, given, { file, place }),
  );
  return { value, findings };
}

type Judge = (given: unknown, settings: ProjectSettings) => Omit<Finding, 'file' | 'key'>;

const refused = (how: string) => (): ReturnType<Judge> => ({ verdict: 'refused', how });
const differs = (how: string) => (): ReturnType<Judge> => ({ verdict: 'differs', how });

/** What a repository could use to run code as the server. */
const runsCode = refused(
  'it would run as the server. The operator writes a tool hook, an extension or a variable of the server instead',
);
const ofTerminal = differs('it is about a terminal, and nothing follows from it here');
const ofOperator = refused(
  'it is the operator’s choice for all sessions; a project has no say in it',
);

const keys: Readonly<Record<string, Judge>> = {
  model: (given) => {
    const named = typeof given === 'string' ? convertModel(given) : undefined;
    if (named === undefined || named.verdict === 'refused') {
      return { verdict: 'refused', how: named?.how ?? 'it must be text' };
    }
    const how = `the model of a turn is opts.model, its agent’s or TURNPIKE_MODEL: name ${named.how} there`;
    return { verdict: 'differs', how };
  },
  enableAllProjectMcpServers: (given, settings) => {
    settings.servers.all = given === true;
    return {
      verdict: 'same',
      how: 'the servers of .mcp.json are used, as far as the operator lets sessions have any',
    };
  },
  enabledMcpjsonServers: (given, settings) => serverNames(given, settings.servers.on),
  disabledMcpjsonServers: (given, settings) => serverNames(given, settings.servers.off),
  hooks: runsCode,
  disableAllHooks: () => ({ verdict: 'same', how: 'no hook of a file ever runs' }),
  env: refused(
    'variables of commands are the operator’s: a project that sets PATH runs what it likes',
  ),
  apiKeyHelper: runsCode,
  awsAuthRefresh: runsCode,
  awsCredentialExport: runsCode,
  gcpAuthRefresh: runsCode,
  otelHeadersHelper: runsCode,
  statusLine: ofTerminal,
  fileSuggestion: ofTerminal,
  spinnerTipsEnabled: ofTerminal,
  spinnerVerbs: ofTerminal,
  theme: ofTerminal,
  editorMode: ofTerminal,
  language: differs('it is not in the prompt: write it into CLAUDE.md'),
  outputStyle: refused('there are no output styles: write what it says into CLAUDE.md'),
  includeCoAuthoredBy: differs('nothing is added to commits here'),
  attribution: differs('nothing is added to commits here'),
  cleanupPeriodDays: differs(
    'the operator says how long sessions are kept (TURNPIKE_SESSION_KEEP_DAYS)',
  ),
  alwaysThinkingEnabled: differs('a turn thinks where opts.thinking or its agent says so'),
  effortLevel: differs('send opts.thinking.effort'),
  enabledPlugins: refused(
    'plugins of marketplaces are not fetched: copy their agents and skills into .claude',
  ),
  extraKnownMarketplaces: refused('plugins of marketplaces are not fetched'),
  sandbox: ofOperator,
  forceLoginMethod: ofOperator,
  forceLoginOrgUUID: ofOperator,
  companyAnnouncements: ofTerminal,
  respectGitignore: differs('searches skip .git and node_modules'),
  $schema: () => ({ verdict: 'same', how: 'it is for editors' }),
};

function serverNames(given: unknown, into: string[]): ReturnType<Judge> {
  const isList = Array.isArray(given) && given.every((one) => typeof one === 'string');
  if (!isList) return { verdict: 'refused', how: 'it must be a list of names' };
  into.push(...given);
  return { verdict: 'same', how: 'the servers of .mcp.json by these names' };
}

function addKey(
  settings: ProjectSettings,
  key: string,
  given: unknown,
  { file, place }: Layer,
): Finding[] {
  if (key === 'permissions') return addPermissions(settings, given, { file, place });
  const judge = Object.hasOwn(keys, key) ? keys[key] : undefined;
  const finding = judge?.(given, settings) ?? { verdict: 'refused', how: 'it is not known here' };
  return [{ file, key, ...finding }];
}

const modes: Readonly<Record<string, PermissionMode>> = {
  default: 'direct',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  dontAsk: 'dontAsk',
};

/** The mode here of a mode there. Pure. */
export function convertMode(
  given: unknown,
): Omit<Finding, 'file' | 'key'> & { value?: PermissionMode } {
  const value = typeof given === 'string' && Object.hasOwn(modes, given) ? modes[given] : undefined;
  if (value === 'acceptEdits') {
    return {
      value,
      verdict: 'differs',
      how: 'acceptEdits allows edits alone: a person is asked about mkdir, rm, mv, cp and sed',
    };
  }
  if (value !== undefined)
    return { value, verdict: value === given ? 'same' : 'mapped', how: value };
  const how =
    given === 'bypassPermissions'
      ? 'nothing runs unasked here: write rules that allow it, or send mode acceptEdits'
      : `there is no mode ${JSON.stringify(given)} here: use default, acceptEdits, plan or dontAsk`;
  return { verdict: 'refused', how };
}

function addPermissions(
  settings: ProjectSettings,
  given: unknown,
  { file, place }: Layer,
): Finding[] {
  if (!isPlainObject(given)) {
    return [{ file, key: 'permissions', verdict: 'refused', how: 'it must be a map' }];
  }
  return Object.entries(given).flatMap(([key, value]): Finding[] => {
    const path = `permissions.${key}`;
    switch (key) {
      case 'allow':
      case 'ask':
      case 'deny':
        return addRules(settings, { list: key, given: value }, { file, place });
      case 'defaultMode': {
        const { value: mode, ...finding } = convertMode(value);
        if (mode !== undefined) settings.mode = mode;
        return [{ file, key: path, ...finding }];
      }
      case 'additionalDirectories':
        return [
          {
            file,
            key: path,
            verdict: 'refused',
            how: 'a session works in one folder: give it one that has them all',
          },
        ];
      case 'disableBypassPermissionsMode':
        return [{ file, key: path, verdict: 'same', how: 'there is no such mode' }];
      default:
        return [{ file, key: path, verdict: 'refused', how: 'it is not known here' }];
    }
  });
}

function addRules(
  settings: ProjectSettings,
  { list, given }: { list: RuleList; given: unknown },
  { file, place }: Layer,
): Finding[] {
  const key = `permissions.${list}`;
  if (!Array.isArray(given))
    return [{ file, key, verdict: 'refused', how: 'it must be a list of rules' }];
  return given.map((text: unknown, index): Finding => {
    const at = `${key}[${index}]`;
    if (typeof text !== 'string')
      return { file, key: at, verdict: 'refused', how: 'it must be text' };
    const { rules, verdict, how } = convertRule(text, list, place);
    settings[list].push(...rules);
    return { file, key: at, verdict, how: `${text}: ${how}` };
  });
}
