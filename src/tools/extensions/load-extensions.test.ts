import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { defaultTriggers } from '../../governance/notices/triggers.js';
import { readTool } from '../builtin/file-tools.js';
import { ToolRegistry } from '../registry.js';
import { CustomAuthenticators } from '../../access/custom-authenticators.js';
import { openVerifier } from '../../access/tokens/open-verifier.js';
import { systemClock } from '../../platform/clock.js';
import { ExtensionError } from './extension-shapes.js';
import { loadExtensions, type Registries } from './load-extensions.js';
import { newFolder } from '../../../test/support/suite.js';

const tool = (more: string): string =>
  `{ name: 'mine', description: 'Mine.', inputSchema: { type: 'object' }, run: () => 'x', ${more} }`;

const noIssuers = openVerifier(
  [],
  { authPrivateHosts: [] },
  { clock: systemClock, logger: silentLogger },
);

describe('loadExtensions', () => {
  let count = 0;
  const folder = newFolder();

  const registries = (): Registries => ({
    trees: new DecisionTrees(),
    tools: new ToolRegistry([readTool]),
    triggers: [...defaultTriggers],
    authenticators: new CustomAuthenticators(noIssuers),
    logger: silentLogger,
  });

  async function write(code: string): Promise<string> {
    count += 1;
    const file = path.join(folder, `extension-${count}.mjs`);
    await writeFile(file, code);
    return file;
  }

  const register = (body: string): Promise<string> =>
    write(`export default async (turnpike) => { ${body} };`);

  async function faultOf(file: string): Promise<string> {
    const fault: unknown = await loadExtensions([file], registries()).catch((error) => error);
    expect(fault).toBeInstanceOf(ExtensionError);
    expect((fault as ExtensionError).message).toContain(`TURNPIKE_EXTENSIONS: ${file}:`);
    return (fault as ExtensionError).fault;
  }

  it('loads files by path and URL, in order, each with what the ones before added', async () => {
    const into = registries();
    const first = await register(`turnpike.addTool(${tool('')});`);
    const second = await register(
      `turnpike.addTrigger({ id: 'mine', check: () => [] });
       turnpike.addDecisionTree('mine', (config, standard) => standard);`,
    );
    await loadExtensions([first, pathToFileURL(second).href], into);
    expect(
      into.tools.list().map(({ name, effect, retry, source }) => [name, effect, retry, source]),
    ).toEqual([
      ['read', 'read', 'safe', undefined],
      ['mine', 'command', 'never', 'extension'],
    ]);
    expect(into.trees.names()).toEqual(['default', 'mine']);
    expect(into.triggers.at(-1)).toMatchObject({ id: 'mine', levels: ['message', 'step'] });
    await expect(loadExtensions([first], into)).rejects.toThrow('mine is registered already');
  });

  it.each([
    ['a syntax error', 'export default (', 'it has a syntax error: '],
    [
      'a module that throws',
      'throw new Error("no database.");',
      'it cannot be loaded: no database',
    ],
    ['no default export', 'export const x = 1;', 'its default export must be a function'],
  ])('refuses %s', async (_what, code, fault) => {
    expect(await faultOf(await write(code))).toContain(fault);
  });

  it('refuses a file and a package that are not there', async () => {
    const none = path.join(folder, 'none.mjs');
    expect(await faultOf(none)).toBe(`there is no file ${none}`);
    await expect(loadExtensions([none], registries())).rejects.toThrow(/none\.mjs\. Correct it/);
    expect(await faultOf('@turnpike/none')).toContain("Cannot find package '@turnpike/none'");
  });

  it.each([
    ['throw new Error("mine.");', 'mine'],
    ['throw "text";', 'text'],
    ['turnpike.addTool();', 'a tool must be an object'],
    [
      'turnpike.addTool({ name: 5 });',
      'name of a tool must be text; description is missing; input (inputSchema, without defineTool) is missing; run is missing',
    ],
    [
      `turnpike.addTool(${tool("effekt: 'read'")});`,
      'effekt is no field of a tool; did you mean effect?',
    ],
    [
      `turnpike.addTool(${tool('run: undefined, runn: 1')});`,
      'runn is no field of a tool; did you mean run?; run is missing',
    ],
    [
      `turnpike.addTool(${tool('needsApproval: true')});`,
      'needsApproval is no field of a tool; use name, description',
    ],
    [`turnpike.addTool(${tool("name: 'read'")});`, 'Tool read is registered already'],
    [`turnpike.addTool(${tool("name: 'two words'")});`, 'Tool name "two words" is not valid'],
    [`turnpike.addTool(${tool("name: 'mcp__a'")});`, 'begins with mcp__'],
    [`turnpike.addTool(${tool("name: 'web_search'")});`, 'taken by a tool of the provider'],
    [
      `turnpike.addTool(${tool("description: ' '")});`,
      'description of the tool mine must be text that is not blank',
    ],
    [`turnpike.addTool(${tool('inputSchema: 1')});`, 'must be a JSON Schema'],
    [`turnpike.addTool(${tool("inputSchema: { type: 'array' }")});`, 'schema of tool mine is not'],
    [`turnpike.addTool(${tool("effect: 'none'")});`, 'one of read, edit, command'],
    [`turnpike.addTool(${tool("retry: 'always'")});`, 'one of safe, idempotent, never'],
    [
      `turnpike.addTool(${tool('permissionArgument: { name: 1 }')});`,
      'permissionArgument.kind of the tool mine is required',
    ],
    [`turnpike.addTool(${tool('run: 1')});`, 'run of the tool mine must be a function'],
    ["turnpike.addTrigger({ id: 'A' });", 'id of the trigger A must have 1 to 64'],
    [
      "turnpike.addTrigger({ id: 'context-usage', check: () => [] });",
      'is a trigger context-usage',
    ],
    ["turnpike.addTrigger({ id: 'a' });", 'check of the trigger a must be a function'],
    [
      "turnpike.addTrigger({ id: 'a', priority: '1', check() {} });",
      'priority of the trigger a must be a number',
    ],
    [
      "turnpike.addTrigger({ id: 'a', levels: ['turn'], check() {} });",
      'levels.0 of the trigger a must be one of message, step',
    ],
    ["turnpike.addDecisionTree('default', () => ({}));", 'tree "default" is registered already'],
    ["turnpike.addDecisionTree('A', () => ({}));", 'the name of a decision tree must have 1 to 64'],
    ["turnpike.addDecisionTree('a', {});", 'the decision tree a must be a function'],
    ["turnpike.addAuthenticator('A', () => {});", 'the name of an authenticator must have 1 to 32'],
    ["turnpike.addAuthenticator('local', () => {});", 'is a name of the server itself'],
    ["turnpike.addAuthenticator('a', {});", 'the authenticator a must be a function'],
    [
      "turnpike.addAuthenticator('a', () => {}); turnpike.addAuthenticator('a', () => {});",
      'there is an authenticator a already',
    ],
  ])('refuses %s', async (body, fault) => {
    expect(await faultOf(await register(body))).toContain(fault);
  });

  it('takes nothing once the module is done', async () => {
    const into = registries();
    const file = await register('globalThis.turnpikeLate = () => turnpike.addTool({});');
    await loadExtensions([file], into);
    const late: unknown = Reflect.get(globalThis, 'turnpikeLate');
    Reflect.deleteProperty(globalThis, 'turnpikeLate');
    expect(late).toThrow('registers before its function is done');
  });
});
