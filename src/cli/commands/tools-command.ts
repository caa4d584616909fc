import path from 'node:path';
import { ConfigError, parseConfig, type Config, type Environment } from '../../config/config.js';
import { systemClock } from '../../platform/clock.js';
import { isPlainObject } from '../../platform/json.js';
import { createLogger } from '../../platform/logger.js';
import { registriesForCheck } from '../../tools/extensions/check-registries.js';
import { guardTool } from '../../tools/extensions/guards.js';
import type { ExtensionTool } from '../../tools/extensions/extend.js';
import { readToolsFolder } from '../../tools/extensions/tools-folder.js';
import { runTool } from '../../tools/calls/run-tool.js';
import { openTools, ToolRegistry } from '../../tools/registry.js';
import { jsonOption, UsageError, type Cli, type CliCommand } from '../command.js';
import { printList, type Table } from '../render/table.js';
import { oneLine } from '../terminal/screen.js';

/** `turnpike tools`: your own tools, without a server and without a model. */
export function toolsCommand(command: CliCommand, cli: Cli): void {
  const folder = ['--dir <DIR>', 'the folder of tools; default: TURNPIKE_TOOLS_DIR'] as const;
  command
    .command('list')
    .description('list the tools of your folder')
    .option(...folder)
    .addOption(jsonOption)
    .action(async ({ dir, json }) => {
      const { tools } = await load(cli, dir);
      printList(
        cli,
        { all: tools.map(described), json },
        { show: tableOfTools, none: 'There are no tools in this folder.' },
      );
    });
  command
    .command('try <NAME> [INPUT]')
    .description(
      'run a tool of your folder once, in the current folder, and print what the model would read',
    )
    .option(...folder)
    .action(async (name, input = '{}', { dir }) => {
      const { config, tools } = await load(cli, dir);
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) {
        throw new UsageError(
          `There is no tool ${oneLine(name, 60)}. There are: ${tools.map((one) => one.name).join(', ') || 'none'}.`,
        );
      }
      await tryTool(cli, config, tool, parseInput(input));
    });
}

async function load(
  cli: Cli,
  dir: string | undefined,
): Promise<{ config: Config; tools: ExtensionTool[] }> {
  const named = dir === undefined ? {} : { TURNPIKE_TOOLS_DIR: path.resolve(dir) };
  const config = configOf({ ...cli.environment, ...named }, dir !== undefined);
  if (config.toolsDir === undefined) {
    throw new UsageError('There is no folder of tools. Name it: --dir DIR, or TURNPIKE_TOOLS_DIR.');
  }
  // Faults of a tool that runs are shown by `tryTool`.
  const registries = registriesForCheck(
    createLogger({ level: 'silent', readable: true, redact: (line) => line }),
  );
  const source = dir === undefined ? 'TURNPIKE_TOOLS_DIR' : '--dir';
  return { config, tools: await readToolsFolder(config.toolsDir, registries, source) };
}

/** @throws ConfigError that names what named the folder. */
function configOf(environment: Environment, isNamedHere: boolean): Config {
  try {
    return parseConfig(environment, { needsRedis: false });
  } catch (error) {
    if (!(error instanceof ConfigError) || !isNamedHere) throw error;
    throw new ConfigError(
      error.problems.map((problem) => problem.replace(/^TURNPIKE_TOOLS_DIR /, '--dir ')),
    );
  }
}

function described({ name, description, effect = 'command', retry = 'never' }: ExtensionTool) {
  return { name, description, effect, retry };
}

function tableOfTools(tools: readonly ReturnType<typeof described>[]): Table {
  return {
    columns: ['TOOL', 'EFFECT', 'RETRY', 'DESCRIPTION'],
    rows: tools.map((tool) => [tool.name, tool.effect, tool.retry, oneLine(tool.description, 100)]),
  };
}

function parseInput(text: string): object {
  try {
    const input: unknown = JSON.parse(text);
    if (isPlainObject(input)) return input;
  } catch {
    // The usage error says what is right.
  }
  throw new UsageError(
    `The input is no JSON object: ${oneLine(text, 60)}. Write it as '{"id": 7}'.`,
  );
}

/** Runs a tool as a turn does, whose person is you. */
async function tryTool(
  cli: Cli,
  { toolTimeoutMs, toolOutputLimit }: Config,
  tool: ExtensionTool,
  input: object,
): Promise<void> {
  const registry = new ToolRegistry();
  registry.register(
    guardTool(tool, (_name, error) =>
      cli.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
    ),
    'extension',
  );
  const opened = openTools(registry.list(), () => ({
    workdir: process.cwd(),
    turn: { principal: 'you', sessionId: 'sess_try', turnId: 'turn_try', agent: 'none' },
  }));
  const callable = opened.get(tool.name);
  if (callable === undefined) throw new Error(`The tool ${tool.name} was not registered`);
  const { status, output } = await runTool(callable, input, {
    callId: 'call_try',
    idempotencyKey: 'turn_try:call_try',
    signal: new AbortController().signal,
    timeoutMs: toolTimeoutMs,
    outputLimit: toolOutputLimit,
    clock: systemClock,
    progress: (note) => cli.err(`${note}\n`),
  });
  await opened.close();
  cli.out(`${output}\n`);
  if (status === 'error') cli.exitCode = 1;
}
