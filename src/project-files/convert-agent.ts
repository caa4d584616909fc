import { parseDefinition } from '../agents/parse-agent-file.js';
import type { AgentFile } from '../agents/parse-agent-file.js';
import { isPersonaName } from '../agents/persona-name.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import { splitFrontMatter } from '../platform/parsing/front-matter.js';
import type { WrittenText } from '../platform/text/written-text.js';
import { efforts } from '../storage/shapes/stored-options.js';
import { convertRule } from './convert-rule.js';
import type { RulePlace } from './convert-path.js';
import { convertMode } from './convert-settings.js';
import type { Converted, Finding } from './finding.js';
import { convertModel } from './model-names.js';
import { TASK_TOOL } from '../tools/builtin/task.js';
import { toolsOf, whyMissing } from '../agents/claude-tools.js';

/** An agent of a project, which the turns of its sessions may delegate to. */
export interface ProjectAgent {
  name: string;
  /** Below the project, as `.claude/agents/reviewer.md`. */
  file: string;
  agent: AgentFile;
}

type Found = Omit<Finding, 'file'>;

/** Fields of an agent's file, and what becomes of each. `given` is filled with the fields of ours. */
interface Draft {
  given: Record<string, unknown>;
  findings: Found[];
  place: RulePlace;
}

const refused = (how: string): Omit<Found, 'key'> => ({ verdict: 'refused', how });

/**
 * Converts an agent of `.claude/agents`. A file with a fault in what limits it is refused, as a whole: half of a limit is
 * none. Pure.
 */
export function convertAgent(
  written: WrittenText,
  { file, place }: { file: string; place: RulePlace },
): Converted<ProjectAgent | undefined> {
  const refuse = (how: string, more: Found[] = []): Converted<undefined> => ({
    value: undefined,
    findings: [...more.map((one) => ({ file, ...one })), { file, ...refused(how) }],
  });
  if ('fault' in written) return refuse(`it ${written.fault}`);
  const { fields, body, problems } = splitFrontMatter(written.text);
  const [problem] = problems;
  if (problem !== undefined) return refuse(`line ${problem.line}: ${problem.message}`);
  const name = textOf(fields['name']);
  if (name === undefined || !isPersonaName(name)) {
    return refuse('its name must be 1 to 64 letters, digits, _ or -');
  }
  const draft: Draft = { given: {}, findings: [], place };
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) continue;
    const convert = Object.hasOwn(converters, key) ? converters[key] : undefined;
    if (convert === undefined) draft.findings.push({ key, ...refused('it is not known here') });
    else draft.findings.push(...convert(value, key, draft));
  }
  const isLimitless = draft.findings.find(
    ({ key, verdict }) => verdict === 'refused' && limits.has(key ?? ''),
  );
  if (isLimitless !== undefined) {
    return refuse(
      `${isLimitless.key ?? ''} limits the agent, and is not taken as it is: without it the agent is not used`,
      draft.findings,
    );
  }
  const agent = parseDefinition({
    ...draft.given,
    AGENT_TYPE: '2',
    AGENT_CLASS: 'TASK',
    prompt: body,
  });
  const [fault] = agent.content.problems;
  if (fault !== undefined) return refuse(fault.message, draft.findings);
  const found = draft.findings.map((one): Finding => ({ file, ...one }));
  const how = `the subagent ${name}, whose answer the turn awaits`;
  return {
    value: { name, file, agent },
    findings: [{ file, verdict: 'differs', how }, ...found],
  };
}

/** Fields without which an agent could do more than its author meant. */
const limits: ReadonlySet<string> = new Set([
  'tools',
  'disallowedTools',
  'permissionMode',
  'mcpServers',
]);

type Convert = (value: unknown, key: string, draft: Draft) => Found[];

const same: Convert = (value, key, { given }) => {
  given[key] = value;
  return [];
};
const refuse =
  (how: string): Convert =>
  (_value, key) => [{ key, ...refused(how) }];
const ofTerminal: Convert = (_value, key) => [
  { key, verdict: 'differs', how: 'it is about a terminal, and nothing follows from it here' },
];

const converters: Readonly<Record<string, Convert>> = {
  name: () => [],
  description: same,
  tools: (value, key, { given }) => {
    const names = listOf(value);
    if (names === undefined) return [{ key, ...refused('it must be a list of tools') }];
    if (names.includes('*')) return [{ key, verdict: 'same', how: 'all tools of the turn' }];
    const limited = names.find((one) => one.includes('(') && !/^(?:Agent|Task)\(/.test(one));
    if (limited !== undefined) {
      const how = `${limited}: an agent has a tool or has it not. Name the tool, and hold back calls by disallowedTools`;
      return [{ key, ...refused(how) }];
    }
    const plain = names.map((one) => one.replace(/\(.*/, ''));
    const found = plain
      .flatMap(toolsOf)
      .filter((one) => one !== TASK_TOOL && !one.startsWith('mcp__'));
    given['tools'] = [...new Set(found)];
    return [
      { key, verdict: 'mapped', how: found.join(', ') || 'no tools' },
      ...plain.flatMap((one): Found[] => {
        const how = leftOut(one);
        return how === undefined ? [] : [{ key, verdict: 'differs', how: `${one}: ${how}` }];
      }),
    ];
  },
  disallowedTools: (value, key, draft) => {
    const names = listOf(value);
    if (names === undefined) return [{ key, ...refused('it must be a list of tools') }];
    const converted = names.map((one) => convertRule(one, 'deny', draft.place));
    permissionsOf(draft)['deny'] = converted.flatMap(({ rules }) => rules);
    return converted.map(({ verdict, how }, index) => ({
      key,
      verdict,
      how: `${names[index]}: ${how}`,
    }));
  },
  permissionMode: (value, key, draft) => {
    const { value: mode, ...finding } = convertMode(value);
    if (mode !== undefined) permissionsOf(draft)['mode'] = mode;
    return [{ key, ...finding }];
  },
  model: (value, key, { given }) => {
    if (typeof value !== 'string') return [{ key, ...refused('it must be text') }];
    const { value: model, ...finding } = convertModel(value);
    Object.assign(given, compact({ model }));
    return [{ key, ...finding }];
  },
  maxTurns: (value, key, { given }) => {
    given['max_turns'] = value;
    return [{ key, verdict: 'mapped', how: 'max_turns' }];
  },
  effort: (value, key, { given }) => {
    const effort = efforts.find((one) => one === value);
    if (effort === undefined)
      return [{ key, ...refused(`it must be one of ${efforts.join(', ')}`) }];
    given['thinking'] = effort;
    return [{ key, verdict: 'mapped', how: `thinking: ${effort}` }];
  },
  skills: (value, key, { given }) => {
    const names = listOf(value);
    if (names === undefined) return [{ key, ...refused('it must be a list of skills') }];
    given['skills'] = names;
    return [
      {
        key,
        verdict: 'differs',
        how: 'the skills that it may load: none is in its prompt from the start on',
      },
    ];
  },
  mcpServers: refuse('a subagent has the servers of its session: write them into .mcp.json'),
  hooks: refuse('they would run as the server'),
  background: refuse('subagents are awaited'),
  isolation: refuse('a subagent works in the folder of its session'),
  memory: refuse('the memory is of a person, not of an agent'),
  color: ofTerminal,
  initialPrompt: ofTerminal,
};

/** Why a tool of an agent's list is not in it here. */
function leftOut(tool: string): string | undefined {
  if (tool.startsWith('mcp__')) return 'the agent has all tools of this server';
  const [first] = toolsOf(tool);
  if (first === undefined) return whyMissing(tool);
  return first === TASK_TOOL ? 'a subagent delegates to nobody' : undefined;
}

function permissionsOf({ given }: Draft): Record<string, unknown> {
  const known = given['permissions'];
  const permissions = isPlainObject(known) ? known : {};
  given['permissions'] = permissions;
  return permissions;
}

/** A list, or a text with commas that are not in parentheses. */
export function listOf(value: unknown): string[] | undefined {
  const entries = typeof value === 'string' ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(entries) || !entries.every((one) => typeof one === 'string')) return undefined;
  return entries.map((one) => one.trim()).filter((one) => one !== '');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
