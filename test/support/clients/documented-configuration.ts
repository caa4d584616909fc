import { writeFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { parseConfig } from '../../../src/config/config.js';
import { loadPermissions } from '../../../src/options/permission-mode.js';
import type { Run } from './documented-page.js';

/** What is done with the output of operate/configuration.md: the faults that it shows are made. */
export const configurationUse =
  (at: (name: string) => string): Run =>
  async (code) => {
    const file = at('permissions.yaml');
    await writeFile(file, 'allow:\n  - read\n  - wread\n\ndeny: bash\n');
    const tools = [{ name: 'read' }, { name: 'bash' }];
    const output = [
      await faultOf(() => parseConfig({ TURNPIKE_PORT: '80a', TURNPIKE_PROT: '4400' })),
      await faultOf(() => loadPermissions(file, tools)),
    ].join('\n\n');
    expect(output.replaceAll(file, '/etc/turnpike/permissions.yaml')).toBe(code.trim());
    return output;
  };

/** The message of the error that an act fails with. */
async function faultOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('The act failed with no error');
}
