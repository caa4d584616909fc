import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { startServer } from '../processes/start-server.js';

interface Page {
  shell(code: string, environment?: Record<string, string>): Promise<string>;
  /** What the shortened ids of the page stand for. */
  names(): Record<string, string>;
}

type Run = (code: string) => Promise<string>;

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** Uses of blocks that begin with `turnpike keys create`. */
export function keyUses({ shell, names }: Page): Record<'runsWithKey' | 'makesKey', Run> {
  /** Runs commands on a server of their own, whose first key the first of them makes. */
  const runsWithKey = async (code: string): Promise<string> => {
    const own = await startServer();
    const program = `turnpike() { ${process.execPath} ${cli} "$@"; }\n`;
    const [create = '', ...rest] = code.split('\n');
    const known = names();
    try {
      const made = await shell(`${program}${create}`, own.store.environment);
      known['http://127.0.0.1:4400'] = own.url;
      known['tpk_…'] = /tpk_[\w-]+/.exec(made)?.[0] ?? 'none';
      known['revoke ID'] = `revoke ${/Key (\S+) of alice/.exec(made)?.[1] ?? 'none'}`;
      return await shell(`${program}${rest.join('\n')}`, own.store.environment);
    } finally {
      delete known['http://127.0.0.1:4400'];
      await own.close();
    }
  };
  const makesKey = async (code: string): Promise<string> => {
    await runsWithKey(code);
    expect(names()['tpk_…']).toMatch(/^tpk_/);
    return '';
  };
  return { runsWithKey, makesKey };
}
