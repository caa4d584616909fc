import type { ToolDefinition } from '../../../src/tools/tool.js';

export interface HeldCall {
  callId: string;
  signal: AbortSignal;
  /** Lets the call return. Until then it runs on, whatever its signal is. */
  finish(output?: string): void;
}

/** A tool whose calls take as long as the test says. */
export class HeldTool {
  readonly calls: HeldCall[] = [];
  readonly definition: ToolDefinition;
  #waiters: { count: number; resolve: (call: HeldCall) => void }[] = [];

  constructor(name: string, rules: Pick<ToolDefinition, 'effect' | 'retry'>) {
    this.definition = {
      name,
      description: 'Takes its time.',
      inputSchema: { type: 'object' },
      ...rules,
      open: () => ({
        run: (_input, { callId, signal }) =>
          new Promise<string>((resolve) =>
            this.#take({ callId, signal, finish: (output = `${name} is done`) => resolve(output) }),
          ),
      }),
    };
  }

  /** The n-th call, from 1, once it runs. */
  call(count: number): Promise<HeldCall> {
    return new Promise((resolve) => {
      this.#waiters.push({ count, resolve });
      this.#wake();
    });
  }

  finishAll(): void {
    for (const call of this.calls) call.finish();
  }

  #take(call: HeldCall): void {
    this.calls.push(call);
    this.#wake();
  }

  #wake(): void {
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      const call = this.calls[count - 1];
      if (call !== undefined) resolve(call);
      return call === undefined;
    });
  }
}
