import { errorCode } from '../../platform/error-code.js';

/** The exit code after a closed pipe, as in shells: 128 and the number of SIGPIPE. */
const CLOSED_PIPE = 141;

/** An output whose writes fail asynchronously, as `process.stdout`. */
interface Output {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Ends the command silently when the reader of its output, such as `head`, closes the pipe. */
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
