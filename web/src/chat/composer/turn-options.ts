import { isPlainObject } from '../../../../src/platform/json.js';
import { ValueStore } from '../../app/value-store.js';

/** What `opts.thinking.effort` may be, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
type Effort = (typeof efforts)[number];

export type OnBusy = 'enqueue' | 'steer' | 'interrupt';

export interface TurnOptions {
  thinking: boolean;
  /** How much is thought. Absent: as the model does by itself. */
  effort?: Effort;
  /** Whether what is thought is shown. */
  showsThinking: boolean;
  citations: boolean;
  /** Absent: the server's default. */
  model?: string;
  /** What becomes of a message that is sent while a turn runs. */
  onBusy: OnBusy;
}

/** `opts.thinking` of the next turn. */
function thinkingOption({
  thinking,
  effort,
  showsThinking,
}: TurnOptions): boolean | { effort?: Effort; display: string } {
  if (!thinking) return false;
  if (effort === undefined && showsThinking) return true;
  return {
    ...(effort === undefined ? {} : { effort }),
    display: showsThinking ? 'summarized' : 'omitted',
  };
}

/** The `opts` of the next turn, but for what becomes of it while another one runs. */
export function turnOpts(options: TurnOptions): Record<string, unknown> {
  const { citations, model } = options;
  return {
    thinking: thinkingOption(options),
    citations,
    ...(model === undefined ? {} : { model }),
  };
}

const STORED = 'turnpike.turn-options';

/** What the user last chose for turns. */
export const turnOptions = new ValueStore<TurnOptions>(readStored());

turnOptions.subscribe(() => localStorage.setItem(STORED, JSON.stringify(turnOptions.get())));

function readStored(): TurnOptions {
  const stored = parse(localStorage.getItem(STORED) ?? '{}');
  const onBusy = (['enqueue', 'steer', 'interrupt'] as const).find(
    (one) => one === stored['onBusy'],
  );
  const model = stored['model'];
  const effort = efforts.find((level) => level === stored['effort']);
  return {
    thinking: stored['thinking'] === true,
    ...(effort === undefined ? {} : { effort }),
    showsThinking: stored['showsThinking'] !== false,
    citations: stored['citations'] === true,
    ...(typeof model === 'string' ? { model } : {}),
    onBusy: onBusy ?? 'enqueue',
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    // Somebody else wrote it: the defaults do.
    return {};
  }
}
