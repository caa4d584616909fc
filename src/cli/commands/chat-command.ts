import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer, type FoundServer } from '../server/find-server.js';
import { parseCall } from '../arguments/parse-call.js';
import { startOptions } from '../arguments/server-options.js';
import type { ChatInput } from '../terminal/chat-input.js';
import { pipedInput } from '../terminal/piped-input.js';
import { runChat } from '../terminal/run-chat.js';
import { openScreen, reportRetries } from '../terminal/screen.js';
import { terminalInput } from '../terminal/terminal-input.js';

/**
 * `turnpike chat`: a conversation at a terminal, or line by line from another program.
 *
 * @returns the exit code: 0 when the user left; from a program the last turn's; 1 without a server or
 *   session; 2 for a wrong call; 130 after a second Ctrl-C.
 */
export async function chatCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    const { values } = parseCall(args, {
      options: {
        session: { type: 'string' },
        agent: { type: 'string' },
        json: { type: 'boolean', default: false },
        ...startOptions,
      },
    });
    const orElse = values.start === true ? 'start' : 'offer';
    server = await findServer(environment, { url: values.url, orElse });
    const screen = openScreen(environment, values.json);
    const input = openChatInput(values.json);
    try {
      return await runChat(
        {
          client: clientOf(server, reportRetries(screen)),
          input,
          screen,
          environment,
          // npm runs scripts in the package's folder; `INIT_CWD` is the user's.
          projectRoot: environment['INIT_CWD'] ?? process.cwd(),
          onInterrupt,
        },
        { sessionId: values.session, agent: values.agent },
      );
    } finally {
      input.close();
    }
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
}

function onInterrupt(callback: () => void): () => void {
  process.on('SIGINT', callback);
  return () => void process.off('SIGINT', callback);
}

/** @param isPlain standard output is for a program: no prompts. */
function openChatInput(isPlain: boolean): ChatInput {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY && !isPlain ? terminalInput(stdin, stdout) : pipedInput(stdin);
}
