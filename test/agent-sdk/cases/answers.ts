import { existsSync } from 'node:fs';
import { expectSoon } from '../../support/expect-soon.js';
import type { Answer, CanUseTool, Hook, HookMatcher, Json } from '../agent-sdk.js';

/** Callbacks of cases. Texts of ours begin with `ours:` and end with a full stop. */

export const yes: CanUseTool = async (_name, input) => ({ behavior: 'allow', updatedInput: input });

export const no: CanUseTool = async () => ({ behavior: 'deny', message: 'ours: not this one.' });

/** Says no to one tool, and yes to the others. */
export function noTo(tool: string): CanUseTool {
  return async (name, input, asked) => (name === tool ? no : yes)(name, input, asked);
}

export function always(answer: Answer): CanUseTool {
  return async () => answer;
}

/** A hook that answers everything alike. */
export function hook(answer: Json, matcher?: string, timeout?: number): HookMatcher {
  const answering: Hook = async () => answer;
  return {
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeout === undefined ? {} : { timeout }),
    hooks: [answering],
  };
}

/** What a hook before a call says of it. */
export function decides(decision: string, more: Json = {}): Json {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: `ours: ${decision}.`,
      ...more,
    },
  };
}

/** Waits until a command has made a file. */
export async function appears(file: string): Promise<void> {
  await expectSoon(() => {
    if (!existsSync(file)) throw new Error(`${file} did not appear.`);
  });
}

/** A command that tells when it runs, and ends only if it is ended. */
export const endless = 'touch started.txt; tail -f started.txt; touch late.txt';
