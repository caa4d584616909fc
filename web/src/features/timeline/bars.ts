import type { Usage } from '#src/storage/shapes/stored-step.js';
import type { TurnEvent, TurnEventBody } from '#src/events/turn-event.js';

export type BarKind =
  | 'gap'
  | 'queue'
  | 'step'
  | 'model'
  | 'tool'
  | 'approval'
  | 'subagent'
  | 'recovery';
export type BarStatus = 'open' | 'done' | 'bad' | 'discarded';

/** A span of the turn. */
export interface Bar {
  key: string;
  kind: BarKind;
  /** The depth of nesting; 0 for the turn itself. */
  depth: number;
  label: string;
  startMs: number;
  /** Milliseconds since 1970; for an open bar, the time of the latest event. */
  endMs: number;
  status: BarStatus;
  usage?: Usage;
  /** The usage of a subagent. */
  turnId?: string;
}

type Of<Type extends TurnEventBody['type']> = Extract<TurnEvent, { type: Type }>;

/** The bars of a turn and its subagents, in order of their start, each below its parent. Pure. */
export function openBars(events: readonly TurnEvent[], endMs: number, depth = 0): Bar[] {
  return new BarMaker(endMs, depth).make(events);
}

class BarMaker {
  readonly #bars: Bar[] = [];
  /** Open bars by their keys. */
  readonly #open = new Map<string, Bar>();
  readonly #relayed = new Map<string, TurnEvent[]>();

  constructor(
    private readonly endMs: number,
    private readonly depth: number,
  ) {}

  make(events: readonly TurnEvent[]): Bar[] {
    for (const event of events) this.#take(event, Date.parse(event.at));
    return this.#bars.flatMap((bar) => [bar, ...this.#childBars(bar)]);
  }

  #childBars({ key, kind }: Bar): Bar[] {
    const relayed =
      kind === 'subagent' ? this.#relayed.get(key.slice('subagent:'.length)) : undefined;
    return relayed === undefined ? [] : openBars(relayed, this.endMs, this.depth + 2);
  }

  #take(event: TurnEvent, at: number): void {
    switch (event.type) {
      case 'turn.queued':
        return this.#begin({ key: 'queue', kind: 'queue', label: 'In the queue' }, at);
      case 'turn.started':
        return this.#end('queue', at);
      case 'turn.recovering':
        return this.#recover(at, event.attempt);
      case 'step.started':
        return this.#startStep(event, at);
      case 'step.discarded':
        return this.#discard(event.step);
      case 'step.ended':
        return this.#endStep(event, at);
      case 'approval.requested':
        this.#endModel(at);
        return this.#begin(
          { key: `approval:${event.approvalId}`, kind: 'approval', label: `${event.name}: asks` },
          at,
        );
      case 'approval.resolved':
        return this.#end(`approval:${event.approvalId}`, at);
      case 'tool.started':
        this.#endModel(at);
        return this.#begin({ key: `tool:${event.callId}`, kind: 'tool', label: event.name }, at);
      case 'tool.ended':
        return this.#end(`tool:${event.callId}`, at, event.status === 'success' ? 'done' : 'bad');
      case 'subagent.started': {
        const { callId, agent, childTurnId: turnId } = event;
        return this.#begin(
          { key: `subagent:${callId}`, kind: 'subagent', label: agent, turnId },
          at,
        );
      }
      case 'subagent.told':
        this.#relayed.set(event.callId, [...(this.#relayed.get(event.callId) ?? []), event.event]);
        return undefined;
      case 'subagent.ended': {
        const status = event.outcome === 'failed' ? 'bad' : 'done';
        return this.#end(`subagent:${event.callId}`, at, status, event.usage);
      }
      case 'turn.ended':
        for (const key of this.#keysOf([''])) this.#end(key, at);
        return undefined;
      case 'thinking.delta':
      case 'text.delta':
      case 'source.cited':
      case 'tool.requested':
      case 'tool.args.delta':
      case 'tool.progress':
      case 'turn.parked':
      case 'message.joined':
      case 'attachment.rejected':
      case 'notice.posted':
      case 'turn.failed':
        return undefined;
      default:
        // Events of a newer server make no bars.
        return undefined;
    }
  }

  #begin(bar: Pick<Bar, 'key' | 'kind' | 'label'> & { turnId?: string }, startMs: number): void {
    if (this.#open.has(bar.key)) return;
    const isInStep = !['queue', 'step', 'recovery'].includes(bar.kind);
    const depth = this.depth + (isInStep ? 1 : 0) + (bar.kind === 'subagent' ? 1 : 0);
    const made: Bar = { ...bar, depth, startMs, endMs: this.endMs, status: 'open' };
    this.#open.set(bar.key, made);
    this.#bars.push(made);
  }

  #end(key: string, endMs: number, status: BarStatus = 'done', usage?: Usage): void {
    const bar = this.#open.get(key);
    if (bar === undefined) return;
    this.#open.delete(key);
    const ended = { ...bar, endMs, status, ...(usage === undefined ? {} : { usage }) };
    this.#bars[this.#bars.indexOf(bar)] = ended;
  }

  #startStep({ step, attempt }: Of<'step.started'>, at: number): void {
    this.#end('recovery', at);
    for (const key of this.#keysOf(['step:', 'model:'])) this.#end(key, at);
    const id = `${attempt}.${step}`;
    this.#begin({ key: `step:${id}`, kind: 'step', label: `Step ${step}` }, at);
    this.#begin({ key: `model:${id}`, kind: 'model', label: 'Model call' }, at);
  }

  /** Ends the model's bar: the first tool of the step runs, or the step is over. */
  #endModel(at: number, usage?: Usage): void {
    for (const key of this.#keysOf(['model:'])) this.#end(key, at, 'done', usage);
  }

  #endStep({ usage }: Of<'step.ended'>, at: number): void {
    this.#endModel(at, usage);
    for (const key of this.#keysOf(['step:'])) this.#end(key, at, 'done', usage);
    const model = this.#bars.findLastIndex(({ kind }) => kind === 'model');
    const bar = this.#bars[model];
    if (bar !== undefined) this.#bars[model] = { ...bar, usage };
  }

  #recover(at: number, attempt: number): void {
    this.#begin({ key: 'recovery', kind: 'recovery', label: `Recovery, attempt ${attempt}` }, at);
  }

  #discard(step: number): void {
    for (const [index, bar] of this.#bars.entries()) {
      const isOfStep = bar.key.startsWith('step:') || bar.key.startsWith('model:');
      if (!isOfStep || !bar.key.endsWith(`.${step}`) || bar.status !== 'open') continue;
      this.#open.delete(bar.key);
      const recovery = this.#bars.find(({ key }) => key === 'recovery');
      const endMs = recovery?.startMs ?? bar.startMs;
      this.#bars[index] = { ...bar, endMs, status: 'discarded' };
    }
  }

  #keysOf(prefixes: readonly string[]): string[] {
    return [...this.#open.keys()].filter((key) =>
      prefixes.some((prefix) => key.startsWith(prefix)),
    );
  }
}
