import { compact } from '../../platform/face.js';
import type { ApprovalRow, TurnRow } from '../../turn/face.js';
import type { ClientTool, StoredNamespace, StoredResponsesRequest } from '../../storage/face.js';
import type { CustomTool, FunctionTool, ResponseTool } from './dialect/response-frames.js';
import type { ResponseDescription } from './dialect/response-items.js';
import type { KnownItem } from './input-items.js';

/** A request for a response, and the client's tools that it had. */
export interface RequestWithTools {
  request: Omit<StoredResponsesRequest, 'answers'>;
  tools: readonly ClientTool[];
}

/** A response as its turn's row tells it, whatever of its events is there. Pure. */
export function describeResponse(
  turn: Pick<TurnRow, 'id' | 'createdAt' | 'options' | 'request'>,
  response: LinkedResponse,
  previousId: string | null,
): ResponseDescription {
  const { request, tools } = requestWithTools(turn, response);
  const everyTool = [tools, ...(turn.request.responses?.answers ?? []).map((one) => one.tools)];
  const names = [...everyTool, firstTools(turn)].flat().map(({ name }) => name);
  const { customTools = [], namespaces = [], format, verbosity } = request;
  const { parallelToolCalls = true, store = true, truncation = 'auto' } = request;
  return {
    facts: {
      id: response.id,
      object: 'response',
      created_at: Math.floor(turn.createdAt.getTime() / 1_000),
      previous_response_id: previousId,
      model: request.model,
      instructions: request.instructions,
      tool_choice: request.toolChoice,
      text: { format, ...compact({ verbosity }) },
      reasoning: { effort: request.effort, summary: request.summary },
      max_output_tokens: request.maxOutputTokens,
      background: request.background,
      service_tier: request.serviceTier,
      metadata: request.metadata,
      user: request.user,
      safety_identifier: request.safetyIdentifier,
      prompt_cache_key: request.promptCacheKey,
      ...compact({ prompt_cache_retention: request.promptCacheRetention }),
      parallel_tool_calls: parallelToolCalls,
      store,
      tools: describeTools(tools, { customTools, namespaces }),
      truncation,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      temperature: 1,
      max_tool_calls: null,
    },
    turnKey: turn.id.replace(/^turn_/, ''),
    clientTools: [...new Set(names)],
    customTools,
    namespaces,
    hidesApprovals: request.hidesApprovals === true,
    answered: response.answered,
  };
}

/** The request that a response was made for: that of its turn, or the last one that changed its terms. Pure. */
export function requestWithTools(
  turn: Pick<TurnRow, 'options' | 'request'>,
  { answered, before = [] }: Pick<LinkedResponse, 'answered' | 'before'>,
): RequestWithTools {
  const { answers = [], ...first } = turn.request.responses ?? noRequest(turn);
  const given = [...before, ...answered];
  const last = answers.findLast((one) => one.answered.some((id) => given.includes(id)));
  if (last !== undefined) return { request: last.request, tools: last.tools };
  return { request: first, tools: firstTools(turn) };
}

/** The tools that the turn began with: its options have those of the last request. */
function firstTools({ options, request }: Pick<TurnRow, 'options' | 'request'>): ClientTool[] {
  return request.responses?.firstTools ?? options.options.clientTools ?? [];
}

/** The tools as the request had them: those of a namespace in the place of its first one. */
function describeTools(
  tools: readonly ClientTool[],
  { customTools, namespaces }: { customTools: readonly string[]; namespaces: StoredNamespace[] },
): ResponseTool[] {
  const described = new Map(
    tools.map((tool) => [tool.name, describeTool(tool, customTools.includes(tool.name))]),
  );
  return [...described].flatMap(([offered, tool]): ResponseTool[] => {
    const group = namespaces.find((one) => one.tools.some((own) => own.offered === offered));
    if (group === undefined) return [tool];
    if (group.tools[0]?.offered !== offered) return [];
    const { name, description } = group;
    const grouped = group.tools.flatMap((own) => {
      const found = described.get(own.offered);
      return found === undefined ? [] : { ...found, name: own.name };
    });
    return [{ type: 'namespace', name, description, tools: grouped }];
  });
}

function describeTool(
  { name, description, inputSchema }: ClientTool,
  isCustom: boolean,
): FunctionTool | CustomTool {
  if (isCustom) return { type: 'custom', name, description, format: { type: 'text' } };
  return { type: 'function', name, description, parameters: inputSchema, strict: null };
}

/** A turn of another wire in a conversation of this one. */
function noRequest({ options }: Pick<TurnRow, 'options'>): StoredResponsesRequest {
  const { persona, onDisconnect } = options.options;
  const background = onDisconnect === 'continue';
  return { ...defaultEchoedRequest, model: persona, background, input: [] };
}

/** A response by its id: a turn, and the question whose answer it begins with. */
export interface ResponseName {
  turnId: string;
  /** Undefined: the turn's first response. */
  approvalId: string | undefined;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const form = new RegExp(`^resp_(${uuid})(?:_(${uuid}))?$`);

/** `resp_` and the ids of the turn and of the question without their prefixes. Pure. */
export function formatResponseId({ turnId, approvalId }: ResponseName): string {
  const turn = turnId.replace(/^turn_/, 'resp_');
  return approvalId === undefined ? turn : `${turn}_${approvalId.replace(/^appr_/, '')}`;
}

/** @returns undefined for text that is no id of a response. */
export function parseResponseId(text: string): ResponseName | undefined {
  const [, turn, approval] = form.exec(text) ?? [];
  if (turn === undefined) return undefined;
  return {
    turnId: `turn_${turn}`,
    approvalId: approval === undefined ? undefined : `appr_${approval}`,
  };
}

/** A response of a turn. */
export interface LinkedResponse {
  id: string;
  /** Approvals whose answers it begins with, which were given at once; none: the first one. */
  answered: readonly string[];
  /** Approvals that were answered before. Absent: none. */
  before?: readonly string[];
}

type Asked = Pick<ApprovalRow, 'id' | 'decision' | 'decidedAt'>;

/**
 * The responses of a turn, in order. Answers of one request are one transaction and have one instant. Each
 * begins a response, also where a person at the console or a deadline gave them. Pure.
 *
 * @param approvals those of the turn and of its subagents.
 */
export function linkResponses(turnId: string, approvals: readonly Asked[]): LinkedResponse[] {
  const instants = new Map<number, string[]>();
  for (const { id, decision, decidedAt } of approvals) {
    // The end of a turn puts its questions away: nothing goes on after that.
    if (decision === null || decision === 'cancelled' || decidedAt === null) continue;
    const at = decidedAt.getTime();
    instants.set(at, [...(instants.get(at) ?? []), id]);
  }
  const answers = [...instants].toSorted(([a], [b]) => a - b).map(([, ids]) => ids.toSorted());
  return [[], ...answers].map((answered, index) => ({
    id: formatResponseId({ turnId, approvalId: answered[0] }),
    answered,
    ...(index > 1 ? { before: answers.slice(0, index - 1).flat() } : {}),
  }));
}

/** What a response gives back of its request, but for its model and its input. */
export type EchoedRequest = Omit<
  StoredResponsesRequest,
  'model' | 'input' | 'developer' | 'answers' | 'firstTools' | 'deleted'
>;

/** What a response gives back of fields that its request does not have. */
export const defaultEchoedRequest: EchoedRequest = {
  previousResponseId: null,
  instructions: null,
  background: false,
  toolChoice: 'auto',
  format: { type: 'text' },
  effort: null,
  summary: null,
  maxOutputTokens: null,
  serviceTier: 'default',
  metadata: {},
  user: null,
  safetyIdentifier: null,
  promptCacheKey: null,
};

/** What the application says in the items: messages of `system` and `developer`. */
export function notesIn(items: readonly KnownItem[]): string[] {
  return items.flatMap((item) =>
    item.kind === 'note' && item.text.trim() !== '' ? item.text : [],
  );
}

const verbosities: Partial<Record<string, string>> = {
  low: 'Answer briefly: say what was asked for, and no more.',
  high: 'Answer in detail: explain what you say, with its reasons.',
};

/** What the application says to the model beside the user; undefined: nothing. Pure. */
export function describeInstructions({
  instructions,
  developer = [],
  namespaces = [],
  verbosity = 'medium',
}: Pick<StoredResponsesRequest, 'instructions' | 'developer' | 'namespaces' | 'verbosity'>):
  | string
  | undefined {
  const groups = namespaces.flatMap(({ name, description }) =>
    description === '' ? [] : `Tools whose names begin with ${name}__: ${description}`,
  );
  const said = [instructions ?? '', ...developer, ...groups, verbosities[verbosity] ?? ''];
  const text = said.filter((one) => one.trim() !== '').join('\n\n');
  return text === '' ? undefined : text;
}
