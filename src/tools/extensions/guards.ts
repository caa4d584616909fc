import * as z from 'zod/mini';
import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import { changeState, type AgentState } from '../../governance/decision-tree/agent-state.js';
import type {
  Continuation,
  DecisionTree,
  ToolResult,
} from '../../governance/decision-tree/decision-trees.js';
import type { Notice, NoticeLevel, Trigger } from '../../governance/notices/trigger.js';
import {
  AuthenticatorFault,
  type CustomAuthenticator,
} from '../../access/custom-authenticators.js';
import { withTimeout } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import { storableJson, storableText } from '../../storage/connection.js';
import { onWrongType } from '../../platform/parsing/shapes.js';
import { isPlainObject } from '../../platform/json.js';
import { outputBlocks } from '../../platform/parsing/tool-output.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';
import type { Authenticate, MakeDecisionTree, ExtensionTrigger, ExtensionTool } from './extend.js';
import {
  callerShape,
  checkConfig,
  checkContinuation,
  isPromise,
  extensionFailure,
  expectShape,
} from './extension-shapes.js';

export interface GuardedTreeOptions {
  extension: string;
  name: string;
  make: MakeDecisionTree;
  config: Readonly<AgentConfig>;
  /** The tree that keeps the state consistent when the extension's fails. */
  standard: DecisionTree;
  /** Called with the first fault. */
  onFault(operation: string, error: unknown): void;
}

/**
 * Guards an extension's tree for the loop. The first error or invalid answer is reported; from then on the
 * standard tree advances the state, so that stored rows stay consistent, and `shouldContinue` throws a
 * typed error, which ends the turn.
 */
export class GuardedTree implements DecisionTree {
  readonly #options: GuardedTreeOptions;
  readonly #tree: DecisionTree | undefined;
  readonly #config: Readonly<AgentConfig>;
  /** The operation that failed first. */
  #failed: string | undefined;

  constructor(options: GuardedTreeOptions) {
    this.#options = options;
    const { make, config, standard } = options;
    this.#tree = this.#attempt('make', () => refusePromise(make(config, standard)));
    this.#config =
      this.#attempt('getConfig', () => checkConfig(refusePromise(this.#tree?.getConfig()))) ??
      standard.getConfig();
  }

  /** @throws TypedError EXTENSION_FAILURE 500 from the first fault on. */
  shouldContinue(state: AgentState): Continuation {
    const answer = this.#attempt('shouldContinue', () =>
      checkContinuation(refusePromise(this.#tree?.shouldContinue(state)), state),
    );
    if (answer !== undefined && this.#failed === undefined) return answer;
    const { extension, name } = this.#options;
    const operation = this.#failed ?? 'shouldContinue';
    throw extensionFailure({ extension, part: `decision tree "${name}"`, operation });
  }

  onTurnStart(state: AgentState): AgentState {
    return this.#advance('onTurnStart', state, (tree) => tree.onTurnStart(state));
  }

  onToolResult(state: AgentState, result: ToolResult): AgentState {
    return this.#advance('onToolResult', state, (tree) => tree.onToolResult(state, result));
  }

  getConfig(): AgentConfig {
    return this.#config;
  }

  /**
   * Advances the state by the tree. Fields that the server counts stay as they were: a tree does
   * not change what was spent.
   */
  #advance(
    operation: string,
    state: AgentState,
    act: (tree: DecisionTree) => AgentState,
  ): AgentState {
    const { userId, projectId, startTime, now, tokensUsed, cost, config } = state;
    const counted = { userId, projectId, startTime, now, tokensUsed, cost, config };
    const tree = this.#failed === undefined ? this.#tree : undefined;
    const next = this.#attempt(operation, () => {
      if (tree === undefined) return undefined;
      const result: unknown = refusePromise(act(tree));
      if (typeof result !== 'object' || result === null) throw new Error('it gave no state');
      return changeState(state, { ...result, ...counted });
    });
    return next ?? act(this.#options.standard);
  }

  #attempt<T>(operation: string, act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (this.#failed === undefined) this.#options.onFault(operation, error);
      this.#failed ??= operation;
      return undefined;
    }
  }
}

/** Refuses a promise, whose rejection nobody would handle and which would end the process. */
function refusePromise<T>(value: T, fault = 'it gave a promise: a tree answers at once'): T {
  if (!isPromise(value)) return value;
  void value.then(undefined, () => undefined);
  throw new Error(fault);
}

/** Longest time that an authenticator may take, in ms. */
const AUTHENTICATE_MS = 2_000;

/** Wraps an extension's authenticator: what it gives is checked, and an error of it finds nobody. */
export function guardAuthenticator(
  name: string,
  authenticate: Authenticate,
  onFault: (error: unknown) => void,
): CustomAuthenticator {
  return async (head) => {
    try {
      const asking = Promise.resolve(authenticate(head));
      if (!(await withTimeout(AUTHENTICATE_MS, asking))) {
        throw new Error(`it gave no answer within ${AUTHENTICATE_MS / 1_000} s`);
      }
      const given: unknown = await asking;
      if (given === undefined) return undefined;
      const found = expectShape(callerShape, given, 'the caller');
      const { scopes, limits = {}, approves, agents, expiresAt, issuedAt = 0 } = found;
      return {
        principalId: `${name}:${found.principal}`,
        scopes,
        limits: compact(limits),
        approves,
        agents,
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
        issuedAt: new Date(issuedAt),
      };
    } catch (error) {
      onFault(error);
      throw new AuthenticatorFault(name, { cause: error });
    }
  };
}

const lastPriority = 100;
const everyLevel: readonly NoticeLevel[] = ['message', 'step'];

const textOf = (most: number) => {
  const expected = `must be text of 1 to ${most} characters`;
  return z
    .string(expected)
    .check(z.refine((text) => text.trim() !== '' && text.length <= most, expected));
};

const noticeShape = z.object(
  {
    mark: z._default(textOf(200), 'once'),
    text: textOf(20_000),
    metadata: z._default(z.unknown(), {}),
    seenByModel: z._default(z.boolean(), true),
  },
  { error: onWrongType('must be an object') },
);

/** Wraps an extension's trigger: its notices are checked, and its marks get its id as a prefix. */
export function guardTrigger(trigger: ExtensionTrigger): Trigger {
  const { id, priority = lastPriority, levels = everyLevel } = trigger;
  return {
    id,
    description: '',
    rearms: '',
    priority,
    levels: [...levels],
    check: (facts) => {
      const fault = 'check gave a promise: a trigger answers at once';
      const result: unknown = refusePromise(trigger.check(facts), fault);
      if (!Array.isArray(result)) throw new Error('check must give a list of notices');
      return result.map((notice: unknown) => parseNotice(id, notice));
    },
  };
}

/** Validates a notice of an extension. @throws Error with the fault. */
function parseNotice(id: string, input: unknown): Omit<Notice, 'level' | 'urgency'> {
  const { mark, text, metadata, seenByModel } = expectShape(noticeShape, input, 'a notice');
  return {
    mark: `${id}:${storableText(mark)}`,
    kind: id,
    text: storableText(text),
    metadata: toJson(metadata),
    seenByModel,
  };
}

/** The metadata as JSON. @throws Error when JSON cannot represent it. */
function toJson(metadata: unknown): Record<string, unknown> {
  const json: unknown = storableJson(JSON.parse(JSON.stringify(metadata)));
  if (!isPlainObject(json)) throw new Error('the metadata of a notice must be an object');
  return json;
}

/** Called with errors of an extension's tool, apart from `ToolFailure`. */
export type OnToolFault = (tool: string, error: unknown) => void;

/** Wraps an extension's tool for the registry. Its errors are reported, and are the call's outcome. */
export function guardTool(tool: ExtensionTool, onFault: OnToolFault): ToolDefinition {
  const { name, description, inputSchema, effect = 'command', retry = 'never', timeoutMs } = tool;
  return {
    name,
    description,
    inputSchema,
    effect,
    retry,
    permissionArgument: tool.permissionArgument,
    ...compact({
      timeLimit: timeoutMs === undefined ? undefined : { ms: timeoutMs, maxMs: timeoutMs },
    }),
    open: ({ workdir, turn }) => ({
      run: async (input, { callId, idempotencyKey, signal, progress }) => {
        try {
          const call = { callId, idempotencyKey, workdir, ...turn, signal, progress };
          const output: unknown = await tool.run(input, call);
          if (typeof output === 'string') return output;
          const blocks = Array.isArray(output) ? outputBlocks(output.map(withBytes)) : undefined;
          if (blocks !== undefined) return blocks;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof ToolFailure) throw error;
          // Of `turnpike`, which has a class of its own.
          if (error instanceof Error && error.name === 'ToolFailure')
            throw new ToolFailure(error.message);
          onFault(name, error);
          throw error;
        }
        onFault(name, new Error('run must give text, or a list of texts and files'));
        throw new ToolFailure(`${name} failed: it gave neither text nor a list of texts and files`);
      },
    }),
  };
}

/** A block whose data is bytes, in base64 as other blocks have it. */
function withBytes(block: unknown): unknown {
  if (!isPlainObject(block) || !(block['data'] instanceof Uint8Array)) return block;
  return { ...block, data: Buffer.from(block['data']).toString('base64') };
}
