import { invalidRequest, type TypedError } from '../platform/typed-error.js';

export interface BodyLimits {
  /** Lists and objects inside of each other. */
  levels: number;
  /** Keys of one object. */
  keys: number;
  /** Items of all lists and values of all objects. */
  values: number;
}

/**
 * Far beyond any body that is meant. What walks one runs out of stack beyond many more levels; what
 * transforms one takes time that grows with the square of an object's keys.
 */
const bodyLimits: BodyLimits = { levels: 100, keys: 1_000, values: 10_000 };

/** Of a conversation: no validator transforms it, and what is read of it is its end. */
const conversationLimits: BodyLimits = { ...bodyLimits, values: 1_000_000 };

/**
 * Refuses a body that would cost too much, before validators recurse into it. Middleware.
 *
 * @param isConversation whether an address takes whole conversations.
 */
export function checkNesting(isConversation: (url: string) => boolean) {
  return (
    request: { body?: unknown; url?: string },
    _response: unknown,
    next: (error?: unknown) => void,
  ): void => {
    const limits = isConversation(request.url ?? '') ? conversationLimits : bodyLimits;
    const excess = findExcess(request.body, limits);
    if (excess === undefined) return next();
    next(refused(excess, limits[excess]));
  };
}

/** Of which limit there is more; undefined: of none. Takes linear time, and does not recurse. Pure. */
export function findExcess(value: unknown, limits: BodyLimits): keyof BodyLimits | undefined {
  let containers = [value].filter(isContainer);
  let values = 0;
  for (let level = 1; containers.length > 0; level += 1) {
    if (level > limits.levels) return 'levels';
    const inner: object[] = [];
    for (const container of containers) {
      const items: unknown[] = Object.values(container);
      if (!Array.isArray(container) && items.length > limits.keys) return 'keys';
      values += items.length;
      if (values > limits.values) return 'values';
      for (const item of items) if (isContainer(item)) inner.push(item);
    }
    containers = inner;
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function refused(excess: keyof BodyLimits, limit: number): TypedError {
  const wordings: Record<keyof BodyLimits, string> = {
    levels: `The request body is nested too deep: at most ${limit} levels`,
    keys: `An object in the request body has too many keys: at most ${limit}`,
    values: `The request body has too many values: at most ${limit} in all lists and objects`,
  };
  return invalidRequest(wordings[excess], { limit });
}
