import path from 'node:path';
import { parseArgs } from 'node:util';

export interface TurnArguments {
  /** `-` stands for standard input. */
  message: string;
  /** Absolute. */
  attachments: string[];
  sessionId: string | undefined;
  persona: string | undefined;
  opts: Record<string, unknown>;
  json: boolean;
}

/** Not a way to call the command; the message says which way is. */
export class UsageError extends Error {}

/**
 * @param folder what relative paths start from: the one the user called from.
 * @throws UsageError
 */
export function parseTurnArguments(args: readonly string[], folder: string): TurnArguments {
  const { values, positionals } = parse(args);
  const message = positionals.join(' ');
  const attachments = (values.attach ?? []).map((file) => path.resolve(folder, file));
  if (message.trim() === '' && attachments.length === 0) {
    throw new UsageError('Say what the turn is about: turnpike turn "MESSAGE" (or --attach FILE).');
  }
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
  };
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
      },
    });
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : 'The options are not understood.',
    );
  }
}
