import { assertNever } from '../../platform/assert-never.js';
import type { SessionOrigin } from '../../storage/shapes/stored-turn.js';

/**
 * What a stream says beside its events: of the connection, or of the moment. It has no id, so that the reader's cursor
 * stays, and comes no second time.
 */
export type Aside =
  /** The key or token of the reader ended. The stream ends, too. */
  | { name: 'session:reauthenticate'; data: { reason: 'expired' | 'ended' } }
  /**
   * The worker of the turn has given no sign of life for `silentMs`. It goes on, or another takes the turn over after
   * `leaseUntil`, ISO-8601.
   */
  | { name: 'turn:stalled'; data: { silentMs: number; leaseUntil: string } };

/** Hands on what is said beside a stream. @returns ends it. */
export type Asides = (tell: (aside: Aside) => void) => () => void;

/** The frame of an aside. Clients of some wires know no other frames than their own: they get a comment. */
export function asideFrame(wire: SessionOrigin, { name, data }: Aside): string {
  const json = JSON.stringify(data);
  switch (wire) {
    case 'harness':
      return `event: ${name}\ndata: ${json}\n\n`;
    case 'ai-sdk':
      return `data: {"type":"data-${name.slice(name.indexOf(':') + 1)}","data":${json},"transient":true}\n\n`;
    case 'ag-ui':
      return `data: {"type":"CUSTOM","name":"${name}","value":${json}}\n\n`;
    case 'named-agents':
    case 'oracle':
    case 'responses':
    case 'mcp':
    case 'schedules':
      return `: ${name} ${json}\n\n`;
    default:
      return assertNever(wire);
  }
}
