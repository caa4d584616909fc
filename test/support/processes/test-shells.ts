import { systemClock } from '../../../src/platform/clock.js';
import { openShells, unsandboxedShells, type Shells } from '../../../src/tools/shells.js';

export interface TestShells {
  network?: boolean;
  memoryMb?: number;
  processes?: number;
  cpuPercent?: number;
  dataFolders?: readonly string[];
  hide?: readonly string[];
  protect?: readonly string[];
}

/** Whether commands run in a sandbox: `npm run jest` warns where the machine can have none. */
const hasSandbox = process.env['TEST_SANDBOX'] !== 'none';

/** Variables for servers whose commands must run on this machine. */
export const sandboxEnvironment: Readonly<Record<string, string>> = hasSandbox
  ? {}
  : { TURNPIKE_ALLOW_UNSANDBOXED_BASH: 'true' };

/** Shells in a sandbox. @throws Error where there is none: a test without it would test nothing. */
export async function sandboxedShells(options: TestShells = {}): Promise<Shells> {
  const shells = await openShells({
    limits: {
      memoryMb: options.memoryMb ?? 2_048,
      processes: options.processes ?? 256,
      cpuPercent: options.cpuPercent ?? 200,
    },
    network: options.network ?? false,
    dataFolders: options.dataFolders ?? [],
    hide: options.hide ?? [],
    protect: options.protect ?? [],
    searchPath: process.env['PATH'] ?? '',
    allowUnsandboxed: false,
    outputLimit: 100_000,
    clock: systemClock,
  });
  if (shells.kind === 'sandboxed') return shells;
  throw new Error(`There is no sandbox to test: ${JSON.stringify(shells)}`);
}

/** Shells of both kinds, for a suite that must pass in a sandbox and without. */
export const eachShells: readonly [string, () => Promise<Shells>][] = [
  ...(hasSandbox ? ([['in a sandbox', sandboxedShells]] as const) : []),
  ['without a sandbox', async () => unsandboxedShells('the test says so', 99_500)],
].map(([name, shells]) => [String(name), shells as () => Promise<Shells>]);
