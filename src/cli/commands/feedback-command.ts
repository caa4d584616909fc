import type { FeedbackView, TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { minute, oneLine } from '../terminal/screen.js';
import { askServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';

const filters = {
  key: { type: 'string' },
  min: { type: 'string' },
  max: { type: 'string' },
  agent: { type: 'string' },
  model: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
} as const;
const options = {
  ...filters,
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

const calls =
  'turnpike feedback set TURN KEY VALUE [COMMENT], show TURN, delete TURN KEY, or list [filters]';

/**
 * `turnpike feedback`: sets, shows, lists and deletes the caller's judgements of turns. @returns the exit code.
 */
export function feedbackCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  const parseFeedback = () => {
    const { values, positionals } = parseCall(args, { options, allowPositionals: true });
    const { json, url, ...given } = values;
    return { json, url, action: chooseAction(positionals, given) };
  };
  return askServer(environment, parseFeedback, async ({ feedback }, { json, action }) =>
    (await action(feedback)).map((one) => (json ? JSON.stringify(one) : describe(one))),
  );
}

type Action = (feedback: TurnpikeClient['feedback']) => Promise<FeedbackView[]>;
type Filters = Partial<Record<keyof typeof filters, string | undefined>>;

/** @throws UsageError. The route checks the values. */
function chooseAction(
  [action, turnId, key, value, comment, ...more]: readonly string[],
  given: Filters,
): Action {
  const isFiltered = Object.values(given).some((filter) => filter !== undefined);
  if (action === 'list' && turnId === undefined) {
    return async (feedback) => (await feedback.list(compact({ ...given }))).feedback;
  }
  if (turnId === undefined || isFiltered || more.length > 0) throw new UsageError(calls);
  if (action === 'show' && key === undefined) return (feedback) => feedback.ofTurn(turnId);
  if (key === undefined) throw new UsageError(calls);
  if (action === 'delete' && value === undefined) {
    return async (feedback) => [await feedback.delete(turnId, key)];
  }
  if (action !== 'set' || value === undefined) throw new UsageError(calls);
  const judged = { key, value: parseValue(value), ...compact({ comment }) };
  return async (feedback) => [await feedback.set(turnId, judged)];
}

/** `true` and `false`, a number, or else a text. */
function parseValue(text: string): boolean | number | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A line of `turnpike feedback list`. Times are UTC. */
function describe({ turnId, key, value, comment, agent, model, updatedAt }: FeedbackView): string {
  const words = comment === null ? '' : `  ${JSON.stringify(oneLine(comment, 200))}`;
  return `${turnId}  ${minute(updatedAt)}  ${key}=${oneLine(String(value), 200)}  ${oneLine(agent, 60)}  ${oneLine(model, 60)}${words}`;
}
