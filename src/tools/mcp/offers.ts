import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { McpServer } from './definitions.js';
import { samplingLimits, type SamplingLimits } from './sampling.js';

/** The questions that a server may ask in the middle of a call. Nothing else is declared to it. */
export interface Offers {
  /** Whether a person can be asked. */
  asks: boolean;
  /** The project's folder, which the server may be told. Absent: it may not. */
  root?: string;
  /** How much the server may ask the turn's model. Absent: it may not. */
  sampling?: SamplingLimits;
}

/** The questions that a server may ask in a turn, by its definition: a connection declares them when it begins. */
export function offersOf(
  { definition }: McpServer,
  { asks = false, projectRoot }: { asks?: boolean; projectRoot?: string },
): Offers {
  const sampling = samplingLimits(definition.sampling);
  return {
    asks,
    ...(definition.roots && projectRoot !== undefined && { root: projectRoot }),
    ...(sampling && { sampling }),
  };
}

export function capabilitiesOf({ asks, root, sampling }: Offers): ClientCapabilities {
  return {
    ...(asks && { elicitation: { form: {}, url: {} } }),
    ...(root !== undefined && { roots: {} }),
    ...(sampling && { sampling: {} }),
  };
}

/** The folder that a server is told of, as the protocol has it. */
export function rootsOf(root: string): { roots: { uri: string; name: string }[] } {
  return { roots: [{ uri: pathToFileURL(root).href, name: path.basename(root) }] };
}
