import { errorCode } from '../../platform/error-code.js';

/** What shells say of a program that a closed pipe ended: 128 and the number of SIGPIPE. */
const CLOSED_PIPE = 141;

/** An output whose writes fail later, as `process.stdout`. */
interface Output {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Ends the command without a word when whoever reads its output, as `head`, has had enough. */
export function leaveOnClosedPipe(
  outputs: readonly Output[] = [process.stdout, process.stderr],
  leave: (exitCode: number) => void = (exitCode) => process.exit(exitCode),
): void {
  for (const output of outputs) {
    output.on('error', (error) => {
      if (errorCode(error) !== 'EPIPE') throw error;
      leave(CLOSED_PIPE);
    });
  }
}
