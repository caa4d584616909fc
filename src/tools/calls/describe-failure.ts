import { types } from 'node:util';
import { ToolFailure } from '../tool-failure.js';

/** An absolute path of two parts or more, but not the path of a URL. */
const hostPath = /(?<![\w:/.])(?:file:\/\/)?\/(?:[^\s'"`:,;()]+\/)+[^\s'"`:,;()]*/g;

/**
 * The text for the model when a tool threw. The message of a `ToolFailure` is passed on as it is; any
 * other error is shown without its stack and without paths of the host, as clients see the text too.
 */
export function describeFailure(toolName: string, error: unknown): string {
  if (error instanceof ToolFailure) return error.message;
  const code = systemErrorCode(error);
  if (code !== undefined) return `${toolName} failed: ${code}`;
  const message = types.isNativeError(error)
    ? error.message
    : typeof error === 'string'
      ? error
      : '';
  const shown = message
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n')
    .replace(hostPath, '<path>')
    .trim();
  return shown === '' ? `${toolName} failed` : `${toolName} failed: ${shown}`;
}

/** The code of an error of the operating system, whose message would show the path. */
function systemErrorCode(error: unknown): string | undefined {
  if (!types.isNativeError(error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
