import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

type Native = (one: object, other: object) => boolean;

/** @param source of a function that calls V8's own, as in `(one) => %InYoungGeneration(one)`. */
export function openNative(source: string): Native {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const native = runInThisContext(source) as Native;
    // Compiled at its first call, which needs the flag.
    native({}, {});
    return native;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
