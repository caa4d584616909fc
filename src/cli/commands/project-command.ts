import { homedir } from 'node:os';
import path from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { errorCode } from '../../platform/error-code.js';
import { verdicts, type Finding } from '../../project-files/finding.js';
import { openProject, type OpenProject } from '../../project-files/open-project.js';
import { managedSettings, readMachine } from '../../project-files/read-machine.js';
import { readProject, type ProjectFiles } from '../../project-files/read-project.js';
import { jsonOption, UsageError, type Cli, type CliCommand } from '../command.js';
import { printList, type Table } from '../render/table.js';

/** `turnpike project check`: exit code 1 where something of the project is refused. */
export function projectCommand(command: CliCommand, cli: Cli): void {
  command
    .command('check')
    .description(
      'say what becomes of each file and key that a project has for Claude Code or its Agent SDK; nothing of it runs',
    )
    .argument('[DIR]', 'the folder of the project', '.')
    .addOption(jsonOption)
    .addOption(
      new Option('--project-only', 'leave out the settings of this person and this machine'),
    )
    .action(async (dir, { json = false, projectOnly = false }) => {
      const project = await open(dir);
      const { value, findings } = await readProject(project, { environment: cli.environment });
      const ofMachine = projectOnly ? [] : await machine(cli, project);
      const all = [...findings, ...ofMachine];
      if (all.some(({ verdict }) => verdict === 'refused')) cli.exitCode = 1;
      const tell = (): string[] => [`${countOf(all)}.`, ...needsOf(value)];
      printList(cli, { all, json }, { show: tableOf, tell, none: nothing(project.root) });
    });
}

async function open(dir: string): Promise<OpenProject> {
  try {
    return await openProject(path.resolve(dir));
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new UsageError(`${dir} is no folder that can be read (${code}).`, { cause: error });
  }
}

function machine(cli: Cli, { root }: OpenProject): Promise<Finding[]> {
  const home = cli.environment['HOME'] ?? homedir();
  return readMachine({ home, managed: managedSettings(process.platform), project: root });
}

function tableOf(findings: readonly Finding[]): Table {
  return {
    columns: ['VERDICT', 'FILE', 'KEY', 'HOW'],
    rows: findings.map(({ verdict, file, key = '', how }) => [verdict, file, key, how]),
  };
}

/** How many findings each verdict has. */
function countOf(findings: readonly Finding[]): string {
  const counts = verdicts.map((verdict) => {
    const { length } = findings.filter((one) => one.verdict === verdict);
    return `${length} ${verdict}`;
  });
  return counts.join(', ');
}

/** The variables of the server without which parts of the project have no effect. */
function needsOf({ settings, agents, servers }: ProjectFiles): string[] {
  const isCommand = Object.values(servers).map((server) => server['command'] !== undefined);
  const trusted = 'unless TURNPIKE_TRUSTED_PROJECTS has this folder';
  const needs: [isNeeded: boolean, what: string][] = [
    [true, 'No session takes these files unless the server has TURNPIKE_PROJECT_FILES=claude.'],
    [
      settings.allow.length > 0 || settings.mode === 'acceptEdits',
      `What allows calls has no effect ${trusted}.`,
    ],
    [
      agents.length > 0,
      'No subagent is called unless the server has TURNPIKE_ENABLE_SUBAGENTS=true.',
    ],
    [
      isCommand.includes(true),
      `No server that is a command starts ${trusted}, and TURNPIKE_MCP_SESSION_STDIO is true.`,
    ],
    [
      isCommand.includes(false),
      'No server at an address is called unless TURNPIKE_MCP_HOSTS has its host.',
    ],
  ];
  return needs.flatMap(([isNeeded, what]) => (isNeeded ? [what] : []));
}

function nothing(root: string): string {
  return `${root} has no CLAUDE.md, no .claude and no .mcp.json.`;
}
