import type { HarnessEvent } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import { AllowedCalls } from './allowed-calls.js';
import { interruptTurn } from './interrupt-turn.js';
import { innerEvent, type TurnFold } from './fold-turn.js';
import { askUserTool, describeAnswers } from './ask-user.js';
import { isAskedForHooks, judgeCall } from './judge-call.js';
import { uuidOfSession } from './message-ids.js';
import type { QueryState } from './query-state.js';
import { askProgram, type ProgramAnswer } from './ask-program.js';
import { contextOf, decideByHooks, runHooks, wantsEnd, type HookFacts } from './run-hooks.js';
import type { JsonObject } from '../platform/json.js';
import type { CallToolResult } from './sdk-tools.js';
import { toOurInput, toTheirInput, toTheirName } from './tool-names.js';

type Asked = Extract<HarnessEvent, { event: 'approval:request' }>['data'];

/** A question of a turn, with the one that calls. */
interface Question extends Asked {
  /** The subagent that calls. */
  agentId?: string;
}

/** A call that a hook deferred, as programs see it. */
export interface DeferredCall {
  id: string;
  name: string;
  input: JsonObject;
}

/**
 * Answers what a turn asks, while its events are read: hooks, then rules and the mode, then `canUseTool`; and runs the
 * tools of the caller's process. A question whose process dies stays open at the server.
 */
export class CallAnswerer {
  /** Rejects with the first fault of the program or the server, which ends the query. */
  readonly failed: Promise<never>;
  /** Resolves with the first call that a hook defers: its question stays open. */
  readonly deferred: Promise<DeferredCall>;
  #fail: (error: unknown) => void = () => undefined;
  #defer: (call: DeferredCall) => void = () => undefined;
  readonly #open = new Map<string, AbortController>();
  readonly #allowed = new AllowedCalls();

  constructor(
    private readonly state: QueryState,
    private readonly fold: TurnFold,
    /** Whether the turn was begun by a process that is gone: its open questions may be answered, or half done. */
    private readonly isAdopted: boolean,
  ) {
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    this.deferred = new Promise((resolve) => (this.#defer = resolve));
    // A query that ends without a fault waits for none.
    this.failed.catch(() => undefined);
  }

  take(event: HarnessEvent): void {
    const inner = innerEvent(event);
    if (inner !== undefined) return this.#take(inner.event, inner.childTurnId);
    this.#take(event, undefined);
  }

  /** Tells programs that are still asked that nobody waits for them. */
  end(): void {
    for (const asking of this.#open.values()) asking.abort();
    this.#open.clear();
    this.#allowed.endAll();
  }

  #take(event: HarnessEvent, agentId: string | undefined): void {
    if (event.event === 'approval:resolve') {
      this.#open.get(event.data.approvalId)?.abort();
      this.#open.delete(event.data.approvalId);
    }
    if (event.event === 'tool:result') this.#allowed.end(event.data.toolUseId);
    if (event.event === 'tool:result') this.#run(() => this.#tellResult(event.data));
    if (event.event !== 'approval:request' || event.data.awaits !== undefined) return;
    const asking = new AbortController();
    this.#open.set(event.data.approvalId, asking);
    const question = { ...event.data, ...(agentId === undefined ? {} : { agentId }) };
    this.#run(() => this.#answer(question, asking.signal));
  }

  #run(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      // Somebody else answered, or the turn has ended: its events say so.
      if (isRefusal(error, 'APPROVAL_RESOLVED')) return;
      this.#fail(error);
    });
  }

  async #answer(question: Question, signal: AbortSignal): Promise<void> {
    const { approvals } = this.state.client;
    const { approvalId, kind } = question;
    if (this.isAdopted && (await approvals.get(approvalId)).status === 'resolved') return;
    await this.#notify(question, signal);
    switch (kind) {
      case 'tool':
      case 'unknown-outcome':
        return this.#decide(question, signal);
      case 'client-tool':
        return this.#runOwn(question, signal);
      case 'elicitation':
      case 'mcp-authorize':
        // A form, or a log-in, is for a person at a page.
        await approvals.dismiss(approvalId);
    }
  }

  async #decide(question: Question, signal: AbortSignal): Promise<void> {
    const { approvals } = this.state.client;
    const { approvalId } = question;
    const answer = await this.#judge(question, signal);
    if (signal.aborted || answer === 'deferred') return;
    if (answer.behavior === 'deny') return this.#deny(question, answer);
    this.#allowed.allow(question.toolUseId);
    const input =
      answer.input === undefined ? {} : { input: toOurInput(question.name, answer.input) };
    if (answer.forSession === undefined) await approvals.approve(approvalId, input);
    else await approvals.approveForSession(approvalId, { ...input, ...answer.forSession });
  }

  async #deny(
    { approvalId, toolUseId, name, input }: Question,
    { message, interrupt }: Extract<ProgramAnswer, { behavior: 'deny' }>,
  ): Promise<void> {
    if (interrupt !== true) {
      await this.state.client.approvals.deny(approvalId, message);
      return;
    }
    // Not denied before: the turn would go on until it is ended.
    const denied = { tool_name: toTheirName(name), tool_use_id: toolUseId };
    this.fold.deny({ ...denied, tool_input: toTheirInput(name, input) });
    await this.#allowed.endOfThose(this.fold.calls.keys(), toolUseId);
    await interruptTurn(this.state);
  }

  /** Runs a tool of the caller's process, once it may. */
  async #runOwn(question: Question, signal: AbortSignal): Promise<void> {
    const { approvals } = this.state.client;
    const { approvalId, name } = question;
    const own = this.state.plan.sdkTools.get(name);
    const isAsking = name === askUserTool.name;
    if (own === undefined && !isAsking) {
      await approvals.deny(approvalId, `${name} is a tool of a program that is not there any more`);
      return;
    }
    const { readOnlyHint = false, idempotentHint = false } = own?.annotations ?? {};
    if (this.isAdopted && own !== undefined && !readOnlyHint && !idempotentHint) {
      await approvals.answer(
        approvalId,
        `The process that was to run ${name} ended. Whether the call took effect is not known, so it was not run again.`,
        { isError: true },
      );
      return;
    }
    const answer = await this.#judge(question, signal);
    if (signal.aborted || answer === 'deferred') return;
    if (answer.behavior === 'deny') return this.#deny(question, answer);
    this.#allowed.allow(question.toolUseId);
    const input = answer.input ?? toTheirInput(name, question.input);
    if (own === undefined) {
      await approvals.answer(approvalId, describeAnswers(input));
      return;
    }
    const { output, isError } = toOutput(await runHandler(() => own.run(input, { signal })));
    await approvals.answer(approvalId, output, { isError });
  }

  /** Hooks, then rules and the mode, then the program. */
  async #judge(question: Question, signal: AbortSignal): Promise<ProgramAnswer | 'deferred'> {
    const { options, plan, mode, cwd } = this.state;
    const { name, toolUseId, reason, kind } = question;
    const theirName = toTheirName(name);
    const told = { tool_name: theirName, tool_input: toTheirInput(name, question.input) };
    const input = { ...told, tool_use_id: toolUseId };
    // A hook is not told of a call that a rule denies.
    const before = judgeCall({ name, input: question.input }, { plan, mode, cwd });
    if (before.verdict === 'deny' && before.isByRule)
      return { behavior: 'deny', message: before.reason };
    const seen = await runHooks(options.hooks, 'PreToolUse', {
      facts: this.#facts(),
      input,
      signal,
    });
    const hooked = decideByHooks(seen);
    if (wantsEnd(seen)) {
      this.fold.isStoppedByHook = true;
      return { behavior: 'deny', message: hooked.reason, interrupt: true };
    }
    if (hooked.behavior === 'deny') return { behavior: 'deny', message: hooked.reason };
    if (hooked.behavior === 'defer') {
      this.#defer({ id: toolUseId, name: theirName, input: told.tool_input });
      return 'deferred';
    }
    await this.#addContext(contextOf(seen));
    const changed = hooked.updatedInput;
    const call = {
      name,
      input: changed === undefined ? question.input : toOurInput(name, changed),
    };
    const judged = judgeCall(call, { plan, mode, cwd });
    const isAnswered = judged.asksNobody && hooked.behavior === 'allow';
    if (judged.verdict === 'deny' && !isAnswered) {
      return { behavior: 'deny', message: judged.reason };
    }
    const isOurs = kind === 'client-tool' || isAskedForHooks(question, plan.hookAsks);
    const isAllowed = hooked.behavior === 'allow' ? !judged.isByRule : judged.verdict === 'allow';
    const allows = isOurs && isAllowed && hooked.behavior !== 'ask';
    if (allows && kind !== 'unknown-outcome' && name !== askUserTool.name) {
      return { behavior: 'allow', ...(changed === undefined ? {} : { input: changed }) };
    }
    const answer = await askProgram(this.state, {
      name,
      input: changed ?? told.tool_input,
      toolUseId,
      reason,
      isByRule: judged.isByRule,
      signal,
      facts: this.#facts(),
      ...(question.agentId === undefined ? {} : { agentId: question.agentId }),
    });
    if (answer.behavior === 'allow' && answer.input === undefined && changed !== undefined) {
      return { ...answer, input: changed };
    }
    return answer;
  }

  async #notify({ name, kind }: Question, signal: AbortSignal): Promise<void> {
    if (kind !== 'tool') return;
    const message = `${toTheirName(name)} needs a permission`;
    const input = { message, notification_type: 'permission_prompt' };
    const { hooks } = this.state.options;
    await runHooks(hooks, 'Notification', { facts: this.#facts(), input, signal });
  }

  async #tellResult({
    toolUseId,
    name,
    output,
    ok,
    status,
  }: Extract<HarnessEvent, { event: 'tool:result' }>['data']): Promise<void> {
    const { hooks } = this.state.options;
    const call = this.fold.calls.get(toolUseId);
    const event = ok ? 'PostToolUse' : 'PostToolUseFailure';
    if (hooks?.[event] === undefined || status === 'denied') return;
    const input = {
      tool_name: toTheirName(name),
      tool_input: toTheirInput(name, call?.input),
      ...(ok ? { tool_response: output } : { error: output }),
      tool_use_id: toolUseId,
    };
    const { signal } = this.state.leaving;
    const answers = await runHooks(hooks, event, { facts: this.#facts(), input, signal });
    const failed = answers.find((answer) => 'fault' in answer);
    if (failed !== undefined && 'fault' in failed) throw new Error(`${event}: ${failed.fault}`);
    if (!wantsEnd(answers)) return;
    this.fold.isStoppedByHook = true;
    await interruptTurn(this.state);
  }

  /** What hooks add to what the model is told: a message that joins the turn, which waits for the call's answer. */
  async #addContext(context: readonly string[]): Promise<void> {
    if (context.length === 0) return;
    const { client, sessionId } = this.state;
    const message = context.join('\n\n');
    const joined = await client.turn({ sessionId, message, opts: { onBusy: 'steer' } });
    joined.leave();
    // The turn has ended meanwhile: there is nobody to tell, and a turn of its own is not wanted.
    if (joined.disposition.type !== 'steered') await joined.interrupt();
  }

  #facts(): HookFacts {
    const { sessionId, cwd, mode } = this.state;
    return { session: uuidOfSession(sessionId), cwd, mode };
  }
}

/** A handler that throws is a tool that failed: the model reads its message. */
async function runHandler(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** Texts are one text; what has a file goes as its blocks. */
function toOutput({ content, isError = false }: CallToolResult): {
  output: unknown;
  isError: boolean;
} {
  const texts = content.flatMap((block) =>
    block.type === 'text' && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  const output = texts.length === content.length ? texts.join('\n') : { content };
  return { output, isError };
}
