/** What a person typed: a message, or a command that begins with a slash. */
export type ChatLine =
  | { type: 'message'; text: string }
  | { type: 'nothing' }
  | { type: 'help' }
  | { type: 'new' }
  | { type: 'quit' }
  /** Without an id: lists them. */
  | { type: 'sessions'; sessionId: string | undefined }
  /** Without a name: says which. */
  | { type: 'model'; name: string | undefined }
  | { type: 'unknown'; command: string };

export const chatHelp = `/new              a new session
/sessions [ID]    the latest sessions, or go on with one
/model [NAME]     which model answers, or choose one
/help             this
/quit             leave; so does Ctrl-D
Ctrl-C ends the turn that runs; a second one leaves. A message that begins with a slash: //…
`;

/** Pure. Two slashes stand for one that begins a message. */
export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  if (text.startsWith('//')) return { type: 'message', text: text.slice(1) };
  if (!text.startsWith('/')) return { type: 'message', text };
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
