import type { Disposition } from '../server-types.js';

/** Parses the header `X-Turn-Disposition`: `enqueued; position=2`. Default: `started`. Pure. */
export function parseTurnDisposition(header: string | null): Disposition {
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
