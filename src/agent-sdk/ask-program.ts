import { isPlainObject } from '../platform/json.js';
import { toOurRules } from './allowed-tools.js';
import { checkMode } from './check-options.js';
import type { PermissionResult, PermissionUpdate } from './query-options.js';
import type { QueryState } from './query-state.js';
import { runHooks, type HookFacts } from './run-hooks.js';
import { UnsupportedError } from './sdk-errors.js';
import { ASK_USER, toTheirName } from './tool-names.js';

/** The answer about a call. */
export type ProgramAnswer =
  | {
      behavior: 'allow';
      /** The input that replaces the model's, with the names of programs. Absent: it stays. */
      input?: Record<string, unknown>;
      /** Calls as this one run for the rest of the session: those that a rule of the server covers, or equal ones. */
      forSession?: { rule?: string };
    }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export interface ProgramQuestion {
  /** The server's name of the tool. */
  name: string;
  /** With the names of programs. */
  input: Record<string, unknown>;
  toolUseId: string;
  agentId?: string;
  reason: string;
  /** Whether a rule asks: an answer cannot allow the next call, too. */
  isByRule: boolean;
  signal: AbortSignal;
  facts: HookFacts;
}

/**
 * Asks the program about a call that neither rules nor the mode decide: hooks for `PermissionRequest` first, then
 * `canUseTool`. Without either nobody can be asked, and the call is denied.
 *
 * @throws UnsupportedError for an answer that is not honoured.
 */
export async function askProgram(
  state: QueryState,
  question: ProgramQuestion,
): Promise<ProgramAnswer> {
  const { options } = state;
  if (state.mode === 'dontAsk') return { behavior: 'deny', message: nobodyAsked(question.name) };
  const hooked = await askHooks(state, question);
  if (hooked !== undefined) return toAnswer(state, question, hooked);
  const { canUseTool } = options;
  if (canUseTool === undefined) return { behavior: 'deny', message: nobodyAsked(question.name) };
  const { name, input, toolUseId, agentId, reason, isByRule, signal } = question;
  const toolName = toTheirName(name);
  const asking = async (): Promise<PermissionResult> =>
    canUseTool(toolName, input, {
      signal,
      toolUseID: toolUseId,
      decisionReason: reason,
      suggestions: isByRule ? [] : suggestionsFor(name, input),
      ...(agentId === undefined ? {} : { agentID: agentId }),
    });
  const answer = await asking().catch((error: unknown): PermissionResult => ({
    behavior: 'deny',
    message: `canUseTool failed: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return toAnswer(state, question, answer);
}

async function askHooks(
  { options: { hooks } }: QueryState,
  { name, input, toolUseId, facts, signal }: ProgramQuestion,
): Promise<PermissionResult | undefined> {
  const told = { tool_name: toTheirName(name), tool_input: input };
  const asked = { facts, input: told, signal, toolUseId };
  const answers = await runHooks(hooks, 'PermissionRequest', asked);
  for (const answer of answers) {
    if ('fault' in answer) return { behavior: 'deny', message: answer.fault };
    const decision = answer.output.hookSpecificOutput?.['decision'];
    if (isPermissionResult(decision)) return decision;
  }
  return undefined;
}

function isPermissionResult(value: unknown): value is PermissionResult {
  if (!isPlainObject(value)) return false;
  const { behavior, message } = value;
  return behavior === 'allow' || (behavior === 'deny' && typeof message === 'string');
}

function toAnswer(
  state: QueryState,
  { name, input }: ProgramQuestion,
  answer: PermissionResult,
): ProgramAnswer {
  if (answer.behavior === 'deny') {
    const { message, interrupt = false } = answer;
    return { behavior: 'deny', message, ...(interrupt ? { interrupt } : {}) };
  }
  const { updatedInput, updatedPermissions = [] } = answer;
  const rules = updatedPermissions.flatMap((update) => applyUpdate(state, update));
  const [rule] = rules.filter((one) => one === name || one.startsWith(`${name}(`));
  if (rules.length > 0 && rule === undefined) {
    throw new UnsupportedError(
      `updatedPermissions with ${rules.join(', ')}`,
      'a rule must be about the call that was asked about',
    );
  }
  // A command that is allowed to the letter is this call: a rule would take its * for any text.
  const isThisCall = rule === `${name}(${String(input['command'])})`;
  return {
    behavior: 'allow',
    ...(updatedInput === undefined ? {} : { input: updatedInput }),
    ...(rule === undefined ? {} : { forSession: isThisCall ? {} : { rule } }),
  };
}

/** What a program may answer so that it is not asked about such calls again. */
function suggestionsFor(
  name: string,
  input: Readonly<Record<string, unknown>>,
): PermissionUpdate[] {
  // A person may answer each question differently: no rule could answer the next one.
  if (name === ASK_USER) return [];
  const destination = 'session';
  if (name === 'write' || name === 'edit') {
    return [{ type: 'setMode', mode: 'acceptEdits', destination }];
  }
  const toolName = toTheirName(name);
  const { command } = input;
  const isCommand = name === 'bash' && typeof command === 'string';
  const rule = isCommand ? { toolName, ruleContent: command } : { toolName };
  return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination }];
}

/** Sets the mode that an answer sets. Each destination is the session: no file is written. @returns rules that it adds. */
function applyUpdate(state: QueryState, update: PermissionUpdate): string[] {
  if (update.type === 'setMode') {
    checkMode(update.mode, 'updatedPermissions with the mode');
    state.mode = update.mode;
    return [];
  }
  if (update.type !== 'addRules' || update.behavior !== 'allow') {
    throw new UnsupportedError(
      `updatedPermissions of ${update.type}`,
      'there are addRules with the behavior allow, and setMode',
    );
  }
  const option = 'updatedPermissions';
  return update.rules
    .map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
    )
    .flatMap((rule) => toOurRules(rule, { option, list: 'allow', cwd: state.cwd }));
}

function nobodyAsked(name: string): string {
  return `${toTheirName(name)} needs a permission, and this program asks nobody.`;
}
