import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../platform/process/package-root.js';
import { allCommands } from './program.js';

/**
 * Texts that no user of a clone is told to type: pages of documentation, descriptions of the API, and the completion of
 * the command that npm installs.
 */
const exempt = ['errors/error-table.ts', 'app/api-shapes.ts', 'access/caller.controller.ts'];
const isExempt = (line: string): boolean => /turnpike completion|application_name/.test(line);

const source = path.join(packageRoot, 'src');

function sources(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !exempt.includes(file));
}

/** Lines without those of comments. */
function linesOf(file: string): string[] {
  const lines = readFileSync(path.join(source, file), 'utf8').split('\n');
  return lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && !isExempt(line));
}

describe('commands that the program tells its user to type', () => {
  it('begin as the user calls it: commandName(), in a server commandNameOfServer()', async () => {
    const said = () => undefined;
    const cli = { environment: {}, out: said, err: said, exitCode: 0 };
    const { commands } = await allCommands(cli);
    const names = commands.map((command) => command.name()).join('|');
    const literal = new RegExp(String.raw`(?<![\w./'-])turnpike (?:${names}|--help|COMMAND)\b`);
    const found = sources().flatMap((file) =>
      linesOf(file).flatMap((line) => (literal.test(line) ? [`${file}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
