import { isPlainObject } from '../platform/json.js';
import { hooksFor, type MatchedHook } from './match-hooks.js';
import type { HookEvent, HookInput, HookOutput, Options } from './query-options.js';
import type { PermissionMode } from './sdk-messages.js';
import { UnsupportedError } from './sdk-errors.js';

/** What every hook is told. */
export interface HookFacts {
  /** The uuid of the session. */
  session: string;
  cwd: string;
  mode: PermissionMode;
}

/** Fields of an output that each event honours, beside those of every event. */
const honoured: Readonly<Record<HookEvent, readonly string[]>> = {
  PreToolUse: [
    'permissionDecision',
    'permissionDecisionReason',
    'updatedInput',
    'additionalContext',
  ],
  // The model is called again at once: what they add could come too late.
  PostToolUse: [],
  PostToolUseFailure: [],
  Stop: [],
  PermissionRequest: ['decision'],
  Notification: [],
  SessionStart: ['additionalContext'],
  UserPromptSubmit: ['additionalContext'],
};

/** Fields beside `hookSpecificOutput`. Those of a display have no effect anywhere: there is none. */
const common = ['continue', 'stopReason', 'suppressOutput', 'hookSpecificOutput'];
const withDecision: readonly HookEvent[] = ['PreToolUse', 'Stop', 'UserPromptSubmit'];

const standardMs = (event: HookEvent): number => (event === 'UserPromptSubmit' ? 30_000 : 600_000);

/** An answer of a hook, or why it gave none. */
export type HookAnswer = { output: HookOutput } | { fault: string };

interface ToldHooks {
  facts: HookFacts;
  input: Partial<HookInput>;
  signal: AbortSignal;
  /** The call that the event is about. Default: that of the input. */
  toolUseId?: string | undefined;
}

/**
 * Tells an event to all hooks that are for it, at the same time.
 *
 * @returns their answers in order; one that threw, or took too long, is a fault.
 * @throws UnsupportedError for an answer with a field that the event does not honour.
 */
export async function runHooks(
  hooks: Options['hooks'],
  event: HookEvent,
  { facts, input, signal, toolUseId = input.tool_use_id }: ToldHooks,
): Promise<HookAnswer[]> {
  const matched = hooksFor(hooks?.[event] ?? [], input.tool_name, standardMs(event));
  const told: HookInput = {
    session_id: facts.session,
    transcript_path: '',
    cwd: facts.cwd,
    permission_mode: facts.mode,
    ...input,
    hook_event_name: event,
  };
  const answers = await Promise.all(
    matched.map((hook) => ask(hook, { input: told, toolUseId, signal })),
  );
  for (const answer of answers) if ('output' in answer) check(event, answer.output);
  return answers;
}

async function ask(
  { run, timeoutMs }: MatchedHook,
  { input, toolUseId, signal }: { input: HookInput } & Pick<ToldHooks, 'toolUseId' | 'signal'>,
): Promise<HookAnswer> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<HookAnswer>((resolve) => {
    timer = setTimeout(() => {
      late.abort();
      resolve({ fault: `a hook did not answer within ${timeoutMs / 1_000} s` });
    }, timeoutMs);
  });
  const answering = async (): Promise<HookAnswer> => {
    try {
      const given = { signal: AbortSignal.any([signal, late.signal]) };
      return { output: await run(input, toolUseId, given) };
    } catch (error) {
      return { fault: `a hook failed: ${error instanceof Error ? error.message : String(error)}` };
    }
  };
  try {
    return await Promise.race([answering(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function check(event: HookEvent, output: HookOutput): void {
  const { hookSpecificOutput: specific } = output;
  const known = withDecision.includes(event) ? [...common, 'decision', 'reason'] : common;
  const odd = Object.keys(output).find(
    (name) => output[name] !== undefined && !known.includes(name),
  );
  if (odd !== undefined) throw refused(event, odd);
  if (!isPlainObject(specific)) return;
  const { hookEventName: _event, ...fields } = specific;
  const other = Object.keys(fields).find(
    (name) => fields[name] !== undefined && !honoured[event].includes(name),
  );
  if (other !== undefined) throw refused(event, other);
}

function refused(event: HookEvent, field: string): UnsupportedError {
  const fields = honoured[event].join(', ');
  return new UnsupportedError(
    `${field} of a hook for ${event}`,
    fields === '' ? 'leave it out' : `it may answer with ${fields}`,
  );
}

/** What a hook says about a call. */
export interface HookDecision {
  /** Absent: nothing. */
  behavior?: 'allow' | 'ask' | 'defer' | 'deny';
  reason: string;
  updatedInput?: Record<string, unknown>;
}

/**
 * What hooks before a call say together: the strictest. One that failed denies: nobody can know what it would have said.
 * Pure.
 *
 * @throws UnsupportedError for a decision that there is not here.
 */
export function decideByHooks(answers: readonly HookAnswer[]): HookDecision {
  const all = answers.map(decisionOf);
  const strictest = (['deny', 'defer', 'ask', 'allow'] as const)
    .map((behavior) => all.find((one) => one.behavior === behavior))
    .find((one) => one !== undefined);
  const updated = all.findLast((one) => one.updatedInput !== undefined)?.updatedInput;
  return {
    ...(strictest ?? { reason: '' }),
    ...(updated === undefined ? {} : { updatedInput: updated }),
  };
}

function decisionOf(answer: HookAnswer): HookDecision {
  if ('fault' in answer) return { behavior: 'deny', reason: answer.fault };
  const { decision, reason = '', hookSpecificOutput: specific = {} } = answer.output;
  const { permissionDecision, permissionDecisionReason, updatedInput } = specific;
  const said = typeof permissionDecisionReason === 'string' ? permissionDecisionReason : reason;
  const input = isPlainObject(updatedInput) ? { updatedInput } : {};
  switch (permissionDecision ?? decision) {
    case undefined:
      return { reason: said, ...input };
    case 'approve':
    case 'allow':
      return { behavior: 'allow', reason: said, ...input };
    case 'ask':
    case 'defer':
      return { behavior: permissionDecision === 'defer' ? 'defer' : 'ask', reason: said, ...input };
    case 'block':
    case 'deny':
      return { behavior: 'deny', reason: said === '' ? 'a hook denies the call' : said, ...input };
    default:
      throw new UnsupportedError(
        `permissionDecision ${JSON.stringify(permissionDecision)}`,
        'a hook answers allow, ask, defer or deny',
      );
  }
}

/** What hooks add to what the model is told. Pure. */
export function contextOf(answers: readonly HookAnswer[]): string[] {
  return answers.flatMap((answer) => {
    if ('fault' in answer) return [];
    const context = answer.output.hookSpecificOutput?.['additionalContext'];
    return typeof context === 'string' && context !== '' ? [context] : [];
  });
}

/** The reason of the first hook that blocks; one that failed does. Undefined: none does. Pure. */
export function blockOf(answers: readonly HookAnswer[], event: HookEvent): string | undefined {
  for (const answer of answers) {
    if ('fault' in answer) {
      if (event === 'UserPromptSubmit') return answer.fault;
      continue;
    }
    const { decision, reason = '' } = answer.output;
    if (decision === 'block') return reason;
  }
  return undefined;
}

/** Whether a hook wants the turn to end. Pure. */
export function wantsEnd(answers: readonly HookAnswer[]): boolean {
  return answers.some((answer) => 'output' in answer && answer.output.continue === false);
}
