import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type * as z from 'zod/mini';
import { TypedError } from '../../errors/typed-error.js';
import {
  compact,
  isPlainObject,
  type JsonObject,
  nameOf,
  parseValue,
} from '../../platform/face.js';
import type {
  AgentCall,
  AgentToolCalls,
  AnswerToTurn,
  TurnQuestion,
  TurnStanding,
} from './agent-tool-calls.js';
import { agentTools, isAgentTool, listedAgentTools, type AgentToolName } from './agent-tools.js';

export interface ServedAgents {
  version: string;
  calls: AgentToolCalls;
  principal: AgentCall['principal'];
  /** Told of a failure that is the server's own. */
  onFailure(error: unknown, tool: string): void;
}

/** An MCP server with the tools of a caller's agents, for one request: it keeps nothing. */
export function serveAgentTools(served: ServedAgents): Server {
  const server = new Server(
    { name: 'turnpike', title: 'Turnpike', version: served.version },
    {
      capabilities: { tools: {} },
      instructions:
        'Agents that work in turns. Start one with start_turn, come back for it with read_turn. A turn whose status is input_required waits for a person: show the question and who decides, and answer it with answer_turn where isAwaitingMe is true. Others decide without you: read_turn waits for them.',
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listedAgentTools }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    if (!isAgentTool(name)) {
      const known = Object.keys(agentTools).join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${name.slice(0, 64)}. The tools are ${known}.`,
      );
    }
    try {
      return await callAgentTool(served, name, given, context);
    } catch (error) {
      if (error instanceof TypedError) return refusal(error);
      if (error instanceof ProtocolError) throw error;
      served.onFailure(error, name);
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        'The server failed; its log says why. A turn that was started goes on.',
      );
    }
  });
  return server;
}

async function callAgentTool(
  { calls, principal }: ServedAgents,
  name: AgentToolName,
  given: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const call = { principal, signal: context.mcpReq.signal };
  const stand = async (
    { waitSeconds }: { waitSeconds: number },
    begin: () => Promise<TurnStanding>,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const repeated = repeatedCall(context);
    if (repeated === undefined) return showStanding(await begin(), mayAsk(context, call));
    // The client asked its person, and makes the same call again with the answers.
    const standing = await calls.resume({ ...repeated, waitSeconds }, call);
    return showStanding(standing, repeated.answers.length > 0 && mayAsk(context, call));
  };
  switch (name) {
    case 'list_agents':
      parseInput(agentTools.list_agents.input, given);
      return toResult({ agents: await calls.listAgents(principal) });
    case 'start_turn': {
      const input = parseInput(agentTools.start_turn.input, given);
      return stand(input, () => calls.start(input, call));
    }
    case 'read_turn': {
      const input = parseInput(agentTools.read_turn.input, given);
      return stand(input, () => calls.read(input, call));
    }
    case 'answer_turn': {
      const input = parseInput(agentTools.answer_turn.input, given);
      return stand(input, () => calls.answer(input, call));
    }
    case 'cancel_turn':
      return toResult(await calls.cancel(parseInput(agentTools.cancel_turn.input, given), call));
  }
}

/** @throws ProtocolError that names every field that is wrong. */
function parseInput<Input>(shape: z.core.$ZodType<Input>, given: object): Input {
  const { value, faults } = parseValue(shape, given);
  if (faults === undefined) return value;
  const said = faults.map(({ path, message }) => `'${nameOf(path) || 'arguments'}' ${message}`);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${said.join('; ')}.`);
}

/** Whether the client can ask its person in the middle of a call, and may answer for them. */
function mayAsk({ mcpReq }: ServerContext, { principal }: AgentCall): boolean {
  const envelope: unknown = mcpReq.envelope;
  const declared = isPlainObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const canAsk = isPlainObject(declared) && isPlainObject(declared['elicitation']);
  return canAsk && principal.scopes.includes('approvals');
}

/**
 * The turn and the answers of a call that is made again, as a client of the newer protocol does. The state alone says
 * that it is: a client may leave out the answers, and the turn must not be started twice.
 */
function repeatedCall({ mcpReq: { inputResponses = {}, requestState } }: ServerContext) {
  // Its turn is looked for among the caller's own, as the id in any call is.
  const turnId = requestState();
  if (typeof turnId !== 'string') return undefined;
  const answers = Object.entries(inputResponses).flatMap(([key, response]): AnswerToTurn[] => {
    if (key.startsWith(ASKED)) return answerOf(key.slice(ASKED.length), response);
    const approvalId = key;
    const decision = decisionOf(response);
    return decision === undefined ? [] : [{ approvalId, decision }];
  });
  return { turnId, answers };
}

/** Begins the key of what a call itself asks: its answer is passed on as it is. */
const ASKED = 'asked:';

/** The answer to what a call asks; none where the person left it open. */
function answerOf(approvalId: string, response: unknown): AnswerToTurn[] {
  if (!isPlainObject(response)) return [];
  const { action, content } = response;
  if (action === 'decline') return [{ approvalId, decision: 'deny' }];
  return action === 'accept' ? [{ approvalId, decision: 'answer', content }] : [];
}

/** @returns undefined where the person left the question open. */
function decisionOf(response: unknown): 'approve' | 'deny' | undefined {
  if (!isPlainObject(response)) return undefined;
  const { action, content } = response;
  if (action === 'decline') return 'deny';
  if (action !== 'accept' || !isPlainObject(content)) return undefined;
  const { decision } = content;
  return decision === 'approve' || decision === 'deny' ? decision : undefined;
}

function showStanding(
  standing: TurnStanding,
  asksPerson: boolean,
): CallToolResult | InputRequiredResult {
  const { turnId } = standing;
  switch (standing.status) {
    case 'running':
      return toResult(standing, `The turn is still running. Call read_turn with turnId ${turnId}.`);
    case 'input_required': {
      const own = standing.questions.filter(({ isAwaitingMe }) => isAwaitingMe);
      if (asksPerson && own.length > 0) return askPerson(turnId, own);
      return toResult(standing, describeQuestions(turnId, standing.questions));
    }
    case 'completed':
    case 'limited':
      return toResult(standing, standing.result.text);
    case 'failed':
    case 'interrupted': {
      const { text, error, reason } = standing.result;
      const why = error === undefined ? reason : `${error.errorType}: ${error.message}`;
      const shown = `${text === '' ? '' : `${text}\n\n`}The turn ended as ${standing.status}: ${why}`;
      return { ...toResult(standing, shown), isError: true };
    }
  }
}

/** What a model is told of questions: which it answers, and whom the others await. */
function describeQuestions(turnId: string, questions: readonly TurnQuestion[]): string {
  const own = questions.filter(({ isAwaitingMe }) => isAwaitingMe);
  const told = questions.map(
    ({ approvalId, tool, whoDecides }) => `- ${tool} (${approvalId}) is decided by ${whoDecides}.`,
  );
  const head =
    own.length > 0
      ? `The turn waits for a person: may these calls run? Ask, then call answer_turn for ${own.length === questions.length ? 'each' : own.map(({ approvalId }) => approvalId).join(', ')}.`
      : `The turn waits for others, and needs no answer of yours. Call read_turn with turnId ${turnId} to wait for them.`;
  return [head, ...told].join('\n');
}

function askPerson(turnId: string, questions: readonly TurnQuestion[]): InputRequiredResult {
  const asked = questions.map(({ approvalId, tool, input, reason, whoDecides, question }) => {
    const passed = question && passOn(question);
    if (passed !== undefined) return [ASKED + approvalId, passed] as const;
    const message = `May the agent call ${tool}? ${reason}\nDecided by ${whoDecides}.\n${JSON.stringify(input, undefined, 2).slice(0, 4_000)}`;
    const decision = { type: 'string' as const, enum: ['approve', 'deny'], title: 'Decision' };
    const requestedSchema = {
      type: 'object' as const,
      properties: { decision },
      required: ['decision'],
    };
    return [approvalId, inputRequired.elicit({ message, requestedSchema })] as const;
  });
  return inputRequired({ inputRequests: Object.fromEntries(asked), requestState: turnId });
}

/** What a call asks, as it came; undefined where it is no form and no link, as of a log-in. */
function passOn({ mode, server, message, url, schema }: JsonObject) {
  if (typeof server !== 'string' || typeof message !== 'string') return undefined;
  const said = `The MCP server ${server} asks: ${message}`;
  if (mode === 'url' && typeof url === 'string') {
    return inputRequired.elicitUrl({ message: said, url });
  }
  const asked = specTypeSchemas.ElicitRequestFormParams['~standard'].validate({
    message: said,
    requestedSchema: schema,
  });
  if (asked instanceof Promise || asked.issues !== undefined) return undefined;
  return inputRequired.elicit(asked.value);
}

/** A result for programs, and as text for the model: what was said first, and the ids to go on with. */
function toResult(value: object, said?: string): CallToolResult {
  const structuredContent = { ...value };
  const data = { type: 'text' as const, text: JSON.stringify(structuredContent) };
  const content = said === undefined ? [data] : [{ type: 'text' as const, text: said }, data];
  return { content, structuredContent };
}

/** A request that was refused is a result: the model reads what to do. */
function refusal({ type, message, retryable, retryAfterMs, details }: TypedError): CallToolResult {
  const error = compact({ type, message, retryable, retryAfterMs, details });
  return { ...toResult({ error }, `${type}: ${message}`), isError: true };
}
