import { TypedError } from '../errors/typed-error.js';

/** The error of an agent that names an unregistered tree: the server's set-up is at fault. */
export function decisionTreeNotFound(name: string, known: readonly string[]): TypedError {
  return new TypedError('DECISION_TREE_NOT_FOUND', {
    message: `There is no decision tree ${JSON.stringify(name)}. Use one of: ${known.join(', ')}; or register it before the server starts.`,
    details: { name, known },
  });
}
