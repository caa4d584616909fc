import { isSpecType, type Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';

/** The tools of `POST /mcp`: their names, what the model of a client reads of them, and their inputs. */

/** Longest time that a call waits for a turn, in seconds: clients give up on a silent call after 60. */
const MAX_WAIT_SECONDS = 50;
const DEFAULT_WAIT_SECONDS = 25;

const id = z.string().check(z.minLength(1), z.maxLength(120));
const turnId = id.check(z.describe('Id of the turn.'));
const waitSeconds = z
  ._default(z.number().check(z.gte(0), z.lte(MAX_WAIT_SECONDS)), DEFAULT_WAIT_SECONDS)
  .check(
    z.describe(
      `How long to wait for the turn to end or to ask, in seconds: 0 to ${MAX_WAIT_SECONDS}.`,
    ),
  );

export const agentTools = {
  list_agents: {
    description: 'Lists the agents that may be given work, and what each is for.',
    annotations: { readOnlyHint: true },
    input: z.strictObject({}),
  },
  start_turn: {
    description:
      'Gives an agent a message to work on. Answers with the result, or, where the agent needs longer, with the ids to come back with (read_turn). The turn goes on when this call is cancelled; cancel_turn ends it.',
    annotations: { readOnlyHint: false },
    input: z.strictObject({
      message: z
        .string()
        .check(z.minLength(1), z.maxLength(100_000), z.describe('What the agent is to do.')),
      agent: z
        .exactOptional(z.string().check(z.minLength(1), z.maxLength(64)))
        .check(
          z.describe(
            'Name of the agent (list_agents). Absent: the default one, or that of the session.',
          ),
        ),
      sessionId: z
        .exactOptional(id)
        .check(z.describe('The session to go on with. Absent: a new one begins.')),
      idempotencyKey: z
        .exactOptional(
          z.string().check(z.regex(/^[!-~]{1,200}$/, 'must be 1 to 200 visible ASCII characters')),
        )
        .check(
          z.describe(
            'A call that is made again with the same key joins the first turn, and starts no other.',
          ),
        ),
      waitSeconds,
    }),
  },
  read_turn: {
    description:
      'Waits for a turn that was started, also for other people who decide about its calls, and answers as start_turn does.',
    annotations: { readOnlyHint: true },
    input: z.strictObject({ turnId, waitSeconds }),
  },
  answer_turn: {
    description:
      'Answers a question of a turn whose status is input_required: may a call of a tool run? Then waits for the turn. Where several people decide, yours is one answer, and the result says who is missing. Ask the person you work for before you approve.',
    annotations: { readOnlyHint: false, destructiveHint: true },
    input: z.strictObject({
      turnId,
      approvalId: id.check(z.describe('Id of the question.')),
      decision: z.enum(['approve', 'deny']).check(z.describe('Whether the call may run.')),
      message: z
        .exactOptional(z.string().check(z.maxLength(2_000)))
        .check(z.describe('With deny: what the agent is told.')),
      waitSeconds,
    }),
  },
  cancel_turn: {
    description: 'Ends a turn, also one that waits. What it did stays done.',
    annotations: { readOnlyHint: false, idempotentHint: true },
    input: z.strictObject({ turnId }),
  },
} as const;

/** Names of the tools whose calls wait for a turn. */
export const waitingTools: readonly string[] = Object.entries(agentTools)
  .filter(([, { input }]) => 'waitSeconds' in input.shape)
  .map(([name]) => name);

export type AgentToolName = keyof typeof agentTools;
export type AgentToolInput<Name extends AgentToolName> = z.infer<
  (typeof agentTools)[Name]['input']
>;

export function isAgentTool(name: string): name is AgentToolName {
  return Object.hasOwn(agentTools, name);
}

/** The tools as `tools/list` has them. */
export const listedAgentTools: Tool[] = Object.entries(agentTools).map(
  ([name, { description, annotations, input }]) => {
    const inputSchema = z.toJSONSchema(input, { io: 'input' });
    const tool: unknown = { name, description, annotations, inputSchema };
    if (!isSpecType.Tool(tool)) throw new Error(`The tool ${name} is none of the protocol's`);
    return tool;
  },
);
