import type { Requester } from '../../attachments/extract/requester.js';
import { maxNativeBytes } from '../../attachments/show/choose-showing.js';
import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type { StoredTurn } from '../state/load-turn.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/**
 * Waits until the worker has room for the files of a turn and of the conversation before it.
 *
 * @returns gives the room back.
 */
export function reserveFileMemory(
  { attachments }: Pick<TurnServices, 'attachments'>,
  { storedParts }: Pick<Attempt, 'storedParts'>,
  { earlier, asker }: { earlier: readonly StoredTurn[]; asker: Requester },
): Promise<() => void> {
  const parts = [...earlier.flatMap(({ userParts }) => userParts), ...storedParts];
  const bytes = Math.min(maxNativeBytes, sizeOf(parts));
  return attachments.memory.reserve(bytes, asker);
}

function sizeOf(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'file' ? part.file.size : 0), 0);
}
