/** A line of a chat: a message, or a command that begins with a slash. */
export type ChatLine =
  | { type: 'message'; text: string }
  | { type: 'nothing' }
  | { type: 'help' }
  | { type: 'new' }
  | { type: 'quit' }
  /** Goes on with a session; without an id, lists sessions. */
  | { type: 'sessions'; sessionId: string | undefined }
  /** Chooses a model; without a name, shows the current one. */
  | { type: 'model'; name: string | undefined }
  | { type: 'unknown'; command: string };

export const chatHelp = `/new              begin a new session
/sessions [ID]    list the latest sessions, or go on with one
/model [NAME]     show the model, or choose one
/help             list the commands
/quit             leave; so does Ctrl-D
Ctrl-C ends the running turn; a second one leaves. Begin a message with // for one slash.
`;

/** Parses a line; a message that begins with a slash has two. Pure. */
export function parseChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  if (text.startsWith('//')) return { type: 'message', text: text.slice(1) };
  // Commands are one line: a paste that begins with a path is a message.
  if (!text.startsWith('/') || text.includes('\n')) return { type: 'message', text };
  const [command = '', argument] = text.split(/\s+/, 2);
  switch (command) {
    case '/help':
      return { type: 'help' };
    case '/new':
      return { type: 'new' };
    case '/quit':
    case '/exit':
      return { type: 'quit' };
    case '/sessions':
      return { type: 'sessions', sessionId: argument };
    case '/model':
      return { type: 'model', name: argument };
    default:
      return { type: 'unknown', command };
  }
}
