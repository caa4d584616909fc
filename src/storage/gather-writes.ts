import type { Writable } from 'node:stream';

/**
 * Makes what is written during one turn of the event loop leave in one piece. A process with
 * hundreds of turns has dozens of commands a turn of the loop, and a system call costs more than a
 * command does. (The client's own pipelining forgets a script whenever the server does.)
 */
export function gatherWrites(stream: Writable): void {
  const write = stream.write.bind(stream);
  let isGathering = false;
  const gathered = (...given: unknown[]): unknown => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      setImmediate(() => {
        isGathering = false;
        stream.uncork();
      });
    }
    return Reflect.apply(write, stream, given);
  };
  stream.write = gathered as typeof stream.write;
}
