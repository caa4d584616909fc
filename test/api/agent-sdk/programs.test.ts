import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { openOurSide, type OurSide } from '../../agent-sdk/our-side.js';
import { ourNames } from '../../agent-sdk/our-names.js';
import { programs } from '../../agent-sdk/programs.js';
import { runProgram } from '../../agent-sdk/real/run-real.js';
import { newFolder } from '../../support/suite.js';

/** The entry as it is published, over the server of the test. */
function ourModule({ server, modelSetting }: OurSide): string {
  const folder = newFolder();
  // The program's own packages are those beside it.
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  const file = path.join(folder, 'ours.mjs');
  const entry = pathToFileURL(path.join(packageRoot, 'dist/agent-sdk.js')).href;
  const lines = [
    `process.env.TURNPIKE_URL = ${JSON.stringify(server.url)};`,
    `await fetch(${JSON.stringify(modelSetting)}, { method: 'PUT', body: process.env.ANTHROPIC_BASE_URL });`,
    `export * from ${JSON.stringify(entry)};`,
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

describe('programs of the Claude Agent SDK, unchanged but for the import', () => {
  let side: OurSide;
  let module: string;
  beforeAll(async () => {
    side = await openOurSide();
    module = ourModule(side);
  });
  afterAll(() => side.close());

  it('are seventeen of twenty-one to the letter', () => {
    expect(programs.filter(({ here }) => here === undefined)).toHaveLength(17);
    expect(programs).toHaveLength(21);
  });

  it.each(programs)('$name', async (program) => {
    const { script = program.script, prints = program.prints, without = '' } = program.here ?? {};
    const how = { rename: ourNames.call, asOwnUser: false } as const;
    const printed = await runProgram({ ...program, script }, module, how);
    const compared = (lines: readonly string[]): string[] =>
      lines.map((line) => (without === '' ? line : line.replaceAll(without, '')));
    expect(compared(printed.lines)).toEqual(compared(prints));
    expect(printed.faults).toEqual([]);
  });
});
