import { homedir } from 'node:os';
import path from 'node:path';
import { isSamePersona } from '../agents/same-persona.js';
import { isPlainObject } from '../platform/json.js';
import { parseJson } from '../platform/parsing/parse-text.js';
import { convertAgent, type ProjectAgent } from './convert-agent.js';
import { readInstructions, type Instruction } from './convert-instructions.js';
import { convertServers } from './convert-servers.js';
import { addSettings, noSettings, type ProjectSettings } from './convert-settings.js';
import { commandName, convertSkill, type ProjectPrompt } from './convert-skill.js';
import type { RulePlace } from './convert-path.js';
import type { Converted, Finding } from './finding.js';
import type { OpenProject } from './open-project.js';

/** What the files of a project give to the sessions in its folder. */
export interface ProjectFiles {
  settings: ProjectSettings;
  instructions: Instruction[];
  agents: ProjectAgent[];
  prompts: ProjectPrompt[];
  /** Servers as a session gives them. */
  servers: Record<string, Record<string, unknown>>;
}

/** A project without files. */
export const noFiles = (): ProjectFiles => ({
  settings: noSettings(),
  instructions: [],
  agents: [],
  prompts: [],
  servers: {},
});

export interface ReadingOptions {
  /** Variables that servers of `.mcp.json` may name. */
  environment: Readonly<Record<string, string | undefined>>;
  /** What `~` stands for in rules. Default: the home of the server's user. */
  home?: string;
}

const layers = ['.claude/settings.json', '.claude/settings.local.json'];

/** Files and folders of `.claude` that others have a use for. */
const withoutUse: Readonly<Record<string, Omit<Finding, 'file'>>> = {
  'output-styles': {
    verdict: 'refused',
    how: 'there are no output styles: write what it says into CLAUDE.md',
  },
  hooks: { verdict: 'refused', how: 'scripts of hooks do not run' },
  'agent-memory': { verdict: 'refused', how: 'the memory is of a person, not of an agent' },
  plugins: {
    verdict: 'refused',
    how: 'plugins are not fetched: copy their agents and skills into .claude',
  },
};

/**
 * Reads what a project has for Claude Code and its Agent SDK: settings, instructions, agents, skills, commands and
 * `.mcp.json`. Nothing of it runs. Each file and each of its keys has a finding.
 */
export async function readProject(
  project: OpenProject,
  { environment, home = homedir() }: ReadingOptions,
): Promise<Converted<ProjectFiles>> {
  const { root } = project;
  const place = { project: root, settings: root, home };
  const findings: Finding[] = [];
  const take = <T>({ value, findings: found }: Converted<T>): T => {
    findings.push(...found);
    return value;
  };
  let settings = noSettings();
  for (const file of layers) {
    const written = await project.read(file);
    if (written !== undefined) settings = take(addSettings(settings, written, { file, place }));
  }
  const instructions = take(await readInstructions(project));
  const agents = take(await readAgents(project, place, '.claude/'));
  const prompts = take(await readSkills(project, '.claude/'));
  const written = await project.read('.mcp.json');
  const source = { file: '.mcp.json', settings, environment };
  const servers = written === undefined ? {} : take(convertServers(written, source));
  findings.push(...(await findOthers(project)), ...(await findPlugin(project, place)));
  return { value: { settings, instructions, agents, prompts, servers }, findings };
}

/** @param folder of the agents' folder: `.claude/`, or nothing for a plugin. */
async function readAgents(
  project: OpenProject,
  place: RulePlace,
  folder: string,
): Promise<Converted<ProjectAgent[]>> {
  const value: ProjectAgent[] = [];
  const findings: Finding[] = [];
  for (const file of await project.list(`${folder}agents`)) {
    if (!file.endsWith('.md')) continue;
    const written = await project.read(file);
    if (written === undefined) continue;
    const { value: agent, findings: found } = convertAgent(written, { file, place });
    findings.push(...found);
    if (agent === undefined) continue;
    const other = value.find(({ name }) => isSamePersona(name, agent.name));
    if (other === undefined) value.push(agent);
    else findings.push({ file, verdict: 'refused', how: `${other.file} has the same name` });
  }
  return { value, findings };
}

/** The prompts that skills and commands are, and what is told of each. Sessions find skills through the skill library. */
async function readSkills(
  project: OpenProject,
  folder: string,
): Promise<Converted<ProjectPrompt[]>> {
  const value: ProjectPrompt[] = [];
  const findings: Finding[] = [];
  const skillFiles = (await project.list(`${folder}skills`)).filter((file) =>
    /^skills\/[^/]+\/SKILL\.md$/.test(file.slice(folder.length)),
  );
  const commands = (await project.list(`${folder}commands`)).filter((file) => file.endsWith('.md'));
  const all = [
    ...skillFiles.map((file) => ({
      file,
      name: path.posix.basename(path.posix.dirname(file)),
      kind: 'skill' as const,
    })),
    ...commands.map((file) => ({ file, name: commandName(file), kind: 'command' as const })),
  ];
  for (const { file, name, kind } of all) {
    const written = await project.read(file);
    if (written === undefined) continue;
    const { prompt, findings: found } = convertSkill(written, { file, name, kind });
    findings.push(...found);
    if (prompt === undefined) continue;
    if (!value.some((one) => one.name === name)) value.push(prompt);
    else
      findings.push({
        file,
        verdict: 'refused',
        how: `another skill or command has the name ${name}`,
      });
  }
  return { value, findings };
}

/** Files that nothing here reads, and the plugin that the folder may be. */
async function findOthers(project: OpenProject): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, finding] of Object.entries(withoutUse)) {
    const files = await project.list(`.claude/${name}`);
    if (files.length > 0) findings.push({ file: `.claude/${name}`, ...finding });
  }
  return findings;
}

/** The plugin that the folder is, if it is one: its parts count once they are in `.claude` of a project. */
async function findPlugin(project: OpenProject, place: RulePlace): Promise<Finding[]> {
  const file = '.claude-plugin/plugin.json';
  const manifest = await project.read(file);
  if (manifest === undefined) return [];
  const parsed =
    'fault' in manifest ? { fault: { message: `it ${manifest.fault}` } } : parseJson(manifest.text);
  if ('fault' in parsed) return [{ file, verdict: 'refused', how: parsed.fault.message }];
  const name = isPlainObject(parsed.value) ? parsed.value['name'] : undefined;
  const how = `the folder is the plugin ${JSON.stringify(name)}: its agents, skills and commands count once they are in .claude of a project, without the plugin’s name before theirs`;
  const { findings: agents } = await readAgents(project, place, '');
  const { findings: skills } = await readSkills(project, '');
  const hooks = await project.list('hooks');
  return [
    { file, verdict: 'differs', how },
    ...agents,
    ...skills,
    ...(hooks.length === 0
      ? []
      : [{ file: 'hooks', verdict: 'refused' as const, how: 'they would run as the server' }]),
  ];
}
