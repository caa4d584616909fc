import { cutText } from '../../platform/text/cut-text.js';
import { hostPath } from '../../platform/text/host-path.js';

const KEPT_LINES = 40;
const SHOWN_LINES = 5;
const SHOWN_LINE_CHARS = 200;

/** Lines that say nothing of the cause: frames of a stack, carets and brackets, the version of Node, fields of an error. */
const noise =
  /^\s*(?:at .+|[\s{}[\]^~]+|Node\.js v\S+|throw \w+;|node:internal\S*|(?:code|errno|syscall|requireStack|path): .*)?$/;

/** The last lines that a command has written to its standard error, since it was started. */
export class StderrTail {
  #lines: string[] = [];

  /** @param redact takes the secrets of the command out of a line. */
  constructor(private readonly redact: (line: string) => string) {}

  /** The command is started again. */
  clear(): void {
    this.#lines = [];
  }

  push(line: string): void {
    this.#lines.push(this.redact(line));
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  /** All that is kept, for the log. */
  all(): readonly string[] {
    return this.#lines;
  }

  /** The lines that say most, for people who use the server: of paths of this machine the last part alone. */
  shown(): string[] {
    return this.#lines
      .filter((line) => !noise.test(line))
      .slice(-SHOWN_LINES)
      .map((line) => cutText(line.trim().replace(hostPath, '…/$<name>'), SHOWN_LINE_CHARS));
  }
}
