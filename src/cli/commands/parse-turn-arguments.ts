import path from 'node:path';
import { parseArgs } from 'node:util';
import { startOptions } from './server-options.js';
import { UsageError } from './usage-error.js';

export interface TurnArguments {
  /** `-` stands for standard input. */
  message: string;
  /** Absolute. */
  attachments: string[];
  sessionId: string | undefined;
  persona: string | undefined;
  opts: Record<string, unknown>;
  json: boolean;
  /** The server to use. */
  url: string | undefined;
  /** Where there is none, one is started without a question. */
  start: boolean;
}

/**
 * @param caller the folder that relative paths start from; and whether standard input is no terminal: it
 *   is the message then, where none is among the arguments.
 * @throws UsageError
 */
export function parseTurnArguments(
  args: readonly string[],
  { folder, isPiped }: { folder: string; isPiped: boolean },
): TurnArguments {
  const { values, positionals } = parse(args);
  const message = positionals.length === 0 && isPiped ? '-' : positionals.join(' ');
  const attachments = (values.attach ?? []).map((file) => path.resolve(folder, file));
  if (message.trim() === '' && attachments.length === 0) throw emptyTurn();
  const { mode, model, tools } = values;
  return {
    message,
    attachments,
    sessionId: values.session,
    persona: values.persona,
    opts: {
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
      ...(tools === undefined ? {} : { tools: tools.split(',').filter((name) => name !== '') }),
      ...(values.persona === undefined ? {} : { persona: values.persona }),
    },
    json: values.json ?? false,
    url: values.url,
    start: values.start ?? false,
  };
}

/** Nothing was asked. */
export function emptyTurn(): UsageError {
  return new UsageError('Say what the turn is about: turnpike turn "MESSAGE" (or --attach FILE).');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        attach: { type: 'string', multiple: true },
        session: { type: 'string' },
        persona: { type: 'string' },
        mode: { type: 'string' },
        model: { type: 'string' },
        tools: { type: 'string' },
        json: { type: 'boolean' },
        ...startOptions,
      },
    });
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : 'The options are not understood.',
    );
  }
}
