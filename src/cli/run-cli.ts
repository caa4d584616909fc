import { packageCommit, packageVersion } from '../platform/process/package-root.js';
import { leaveOnClosedPipe } from './terminal/screen.js';

const versionCalls: readonly string[] = ['--version', '-v', 'version'];
const helpFlags: readonly string[] = ['--help', '-h'];

/**
 * Runs `turnpike`.
 *
 * @param given its arguments. Without a command it serves: `npx` of the package starts a server.
 * @returns the exit code: the command's; 1 when it failed; 2 for a wrong call.
 */
export async function runCli(given: readonly string[]): Promise<number> {
  const args = completeCall(given);
  const [name = ''] = args;
  // A server goes on when the reader of its output is gone.
  if (name !== 'serve') leaveOnClosedPipe();
  const out = (text: string): void => void process.stdout.write(text);
  const err = (text: string): void => void process.stderr.write(text);
  if (versionCalls.includes(name)) {
    out(`${packageVersion}${packageCommit === undefined ? '' : ` (${packageCommit})`}\n`);
    return 0;
  }
  // Loaded now: a script that asks for the version need not wait for the commands.
  const { runCommand } = await import('./program.js');
  return runCommand(args, { environment: process.env, out, err, exitCode: 0 });
}

/** The call with the command that it leaves out: `serve`, or the flag that `help` stands for. */
function completeCall([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) return ['serve'];
  if (first === 'help') return [...rest, '--help'];
  const isOwn = !first.startsWith('-') || [...versionCalls, ...helpFlags].includes(first);
  return isOwn ? [first, ...rest] : ['serve', first, ...rest];
}
