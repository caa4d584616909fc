import type { Disposition } from './server-types.js';

/** The header `X-Turn-Disposition`: `enqueued; position=2`. One that is not there began. Pure. */
export function readDisposition(header: string | null): Disposition {
  const [type = '', ...parts] = (header ?? '').split(';').map((part) => part.trim());
  const parameters = new Map(parts.map((part) => splitAt(part, '=')));
  switch (type) {
    case 'repeated':
      return { type };
    case 'enqueued':
      return { type, position: Number(parameters.get('position') ?? 1) };
    case 'interrupting':
      return { type, turnId: parameters.get('turn') };
    case 'steered':
      return { type, messageId: parameters.get('message') ?? '' };
    default:
      return { type: 'started' };
  }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}
