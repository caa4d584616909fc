import path from 'node:path';
import type { TurnOptions } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { unknownName } from '../../parsing/nearest-name.js';
import { permissionModes } from '../../storage/shapes/stored-permissions.js';
import { parseCall } from './parse-call.js';
import { startOptions } from './server-options.js';
import { UsageError } from './usage-error.js';

const options = {
  attach: { type: 'string', multiple: true },
  session: { type: 'string' },
  persona: { type: 'string' },
  mode: { type: 'string' },
  model: { type: 'string' },
  tools: { type: 'string' },
  output: { type: 'string' },
  replaces: { type: 'string' },
  json: { type: 'boolean' },
  ...startOptions,
} as const;

export interface TurnArguments {
  /** `-` stands for standard input. */
  message: string;
  /** Absolute paths. */
  attachments: string[];
  sessionId: string | undefined;
  persona: string | undefined;
  opts: TurnOptions;
  /** Absolute path of the JSON Schema of the object that the turn ends with; undefined: it ends with text. */
  outputFile: string | undefined;
  json: boolean;
  /** The value of `--url`. */
  url: string | undefined;
  /** Start a server without a question where none is found. */
  start: boolean;
}

/**
 * Parses the arguments after `turnpike turn`.
 *
 * @param caller `folder`: where relative paths start; `isPiped`: standard input is no terminal, and is the
 *   message where the arguments have none.
 * @throws UsageError
 */
export function parseTurnArguments(
  args: readonly string[],
  { folder, isPiped }: { folder: string; isPiped: boolean },
): TurnArguments {
  const { values, positionals } = parseCall(args, { options, allowPositionals: true });
  const message = positionals.length === 0 && isPiped ? '-' : positionals.join(' ');
  const attachments = (values.attach ?? []).map((file) => path.resolve(folder, file));
  if (message.trim() === '' && attachments.length === 0) throw emptyTurnError();
  const { mode, model, tools, persona } = values;
  const isMode = permissionModes.some((known) => known.toLowerCase() === mode?.toLowerCase());
  if (mode !== undefined && !isMode) {
    throw new UsageError(`--mode ${unknownName('mode', mode, permissionModes)}.`);
  }
  return {
    message,
    attachments,
    sessionId: values.session,
    persona,
    opts: compact({
      mode,
      model,
      tools: tools?.split(',').filter((name) => name !== ''),
      persona,
      replaces: values.replaces,
    }),
    outputFile: values.output === undefined ? undefined : path.resolve(folder, values.output),
    json: values.json ?? false,
    url: values.url,
    start: values.start ?? false,
  };
}

export function emptyTurnError(): UsageError {
  return new UsageError('Say what the turn is about: turnpike turn "MESSAGE" (or --attach FILE).');
}
