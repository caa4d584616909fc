import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { programs } from '../agent-sdk/programs.js';
import { installReal } from '../agent-sdk/real/install-real.js';
import { realModule, runProgram } from '../agent-sdk/real/run-real.js';

describe('programs of the Claude Agent SDK print on the real one what they have to print on ours', () => {
  let sdkFolder: string;
  beforeAll(() => {
    sdkFolder = installReal();
  });

  it.each(programs)('$name', async (program) => {
    const printed = await runProgram(program, realModule(sdkFolder));
    expect(printed).toEqual({ lines: program.prints, faults: [] });
  });

  it('are all of those in the folder', () => {
    const folder = fileURLToPath(new URL('../agent-sdk/programs', import.meta.url));
    const files = readdirSync(folder).filter((name) => !name.endsWith('.d.ts'));
    expect(files.sort()).toEqual(programs.map(({ name }) => `${name}.ts`).sort());
  });
});
