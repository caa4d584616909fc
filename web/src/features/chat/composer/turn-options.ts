import { compact } from '#src/platform/compact.js';
import { isPlainObject } from '#src/platform/json.js';
import { ValueStore } from '../../../hooks/value-store.js';

/** The values of `opts.thinking.effort`, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
type Effort = (typeof efforts)[number];

export type OnBusy = 'enqueue' | 'steer' | 'interrupt';

export interface TurnOptions {
  thinking: boolean;
  /** The effort of thinking. Absent: the model's default. */
  effort?: Effort;
  /** Whether thinking is shown. */
  showsThinking: boolean;
  citations: boolean;
  /** Absent: the server's default. */
  model?: string;
  /** The busy policy: what the server does with a message that is sent while a turn is active. */
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
  return compact({ effort, display: showsThinking ? 'summarized' : 'omitted' });
}

/** The `opts` of the next turn, without `onBusy`. */
export function turnOpts(options: TurnOptions): Record<string, unknown> {
  const { citations, model } = options;
  return compact({ thinking: thinkingOption(options), citations, model });
}

const STORED = 'turnpike.turn-options';

/** The options that the user chose last. */
export const turnOptions = new ValueStore<TurnOptions>(loadStored());

turnOptions.subscribe(() => localStorage.setItem(STORED, JSON.stringify(turnOptions.get())));

function loadStored(): TurnOptions {
  const stored = parse(localStorage.getItem(STORED) ?? '{}');
  const onBusy = (['enqueue', 'steer', 'interrupt'] as const).find(
    (one) => one === stored['onBusy'],
  );
  const model = stored['model'];
  const effort = efforts.find((level) => level === stored['effort']);
  return compact({
    thinking: stored['thinking'] === true,
    effort,
    showsThinking: stored['showsThinking'] !== false,
    citations: stored['citations'] === true,
    model: typeof model === 'string' ? model : undefined,
    onBusy: onBusy ?? 'enqueue',
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    // The stored text is not ours: the defaults are used.
    return {};
  }
}
