import type { Writable } from 'node:stream';

/**
 * Sends all writes of a tick of the event loop in one piece. A process with hundreds of turns
 * writes dozens of commands a tick, and a system call costs more than a command. (The client's own
 * pipelining loses a script whenever the server does.)
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
