import type { Json, Message } from './agent-sdk.js';
import { nameIds, type Ids } from './name-ids.js';
import type { Entry } from './record.js';
import { takeHistory, takeMarks, takeOffered, takeTold } from './request-aspects.js';
import { blocksOf, isJson, listOf } from './scripted-messages.js';

/** All that a case did, on either SDK. */
export interface Recording {
  /** The project's folder. */
  project: string;
  entries: readonly Entry[];
  /** Files that were written, with their texts, and those that are gone, as null. */
  files: Readonly<Record<string, string | null>>;
  /** Bodies of the requests to the model. */
  requests: readonly Json[];
  /** What was wrong with requests. */
  faults: readonly string[];
}

type Take = (recording: Recording, ids: Ids) => unknown;

/** What of a case can be compared. Ids, times, costs, prompts and texts of the SDK's own are in none of them. */
const aspects = {
  order: takeOrder,
  calls: takeCalls,
  files: ({ files }, ids) => ids.tidy(files),
  blocks: takeBlocks,
  results: takeResults,
  asked: takeAsked,
  hooks: takeHooks,
  end: takeEnd,
  deltas: takeDeltas,
  init: takeInit,
  history: takeHistory,
  marks: takeMarks,
  offered: takeOffered,
  told: takeTold,
} satisfies Record<string, Take>;

export type Aspect = keyof typeof aspects;

/** What was compared of a case, by aspects; and what its program said, returned and failed with. */
export type Outcome = Json;

/** The part of a recording that both SDKs have to have. Pure. */
export function normalise(recording: Recording, kept: readonly Aspect[]): Outcome {
  const ids = nameIds(recording);
  const outcome: Outcome = {};
  for (const name of kept) outcome[name] = aspects[name](recording, ids);
  const notes = recording.entries.flatMap((entry) =>
    entry.at === 'note' ? [{ [entry.what]: ids.tidy(entry.value) }] : [],
  );
  if (notes.length > 0) outcome['notes'] = notes;
  for (const entry of recording.entries) {
    if (entry.at === 'returned' && entry.value !== null)
      outcome['returned'] = ids.tidy(entry.value);
    if (entry.at === 'failed') outcome['failed'] = entry.error.name;
  }
  if (recording.faults.length > 0) outcome['faults'] = ids.tidy(recording.faults);
  return outcome;
}

/** Kinds of messages that are compared; a reader skips the others. */
const kinds =
  /^(assistant|user|result|stream_event|system\/(init|api_retry|compact_boundary|permission_denied|task_\w+))$/;

function messagesOf({ entries }: Recording): { query: number; message: Message }[] {
  return entries.flatMap((entry) => (entry.at === 'message' ? [entry] : []));
}

function contentOf(message: Message): Json[] {
  return isJson(message['message']) ? blocksOf(message['message']['content']) : [];
}

/** Kinds of messages in their order, for each query; a run of stream events is one. */
function takeOrder(recording: Recording): string[][] {
  const orders: string[][] = [];
  for (const { query, message } of messagesOf(recording)) {
    const order = (orders[query - 1] ??= []);
    const label = labelOf(message);
    if (label === undefined || (label === 'stream_event' && order.at(-1) === label)) continue;
    order.push(label);
  }
  // A query before others may have said nothing.
  return Array.from(orders, (order: string[] | undefined) => order ?? []);
}

function labelOf(message: Message): string | undefined {
  const { type, subtype } = message;
  const kind = subtype === undefined || type === 'result' ? type : `${type}/${subtype}`;
  if (!kinds.test(kind)) return undefined;
  const of = typeof message['parent_tool_use_id'] === 'string' ? 'sub ' : '';
  if (type === 'result') return `result ${String(subtype)}`;
  if (type !== 'assistant' && type !== 'user') return kind;
  const parts = contentOf(message).map(({ type, name }) =>
    type === 'tool_use' ? String(name) : String(type),
  );
  return `${of}${type} ${parts.join('+')}`;
}

/** Calls with their inputs, and whether they failed: null where no result came. */
function takeCalls(recording: Recording, ids: Ids): Json[] {
  const results = new Map(resultsOf(recording).map((block) => [block['tool_use_id'], block]));
  return messagesOf(recording).flatMap(({ message }) =>
    message.type === 'assistant'
      ? contentOf(message).flatMap(({ type, id, name, input }) => {
          if (type !== 'tool_use') return [];
          const result = results.get(id);
          const failed = result === undefined ? null : result['is_error'] === true;
          return [{ call: ids.tidy(id), name, input: ids.tidy(input), failed }];
        })
      : [],
  );
}

function resultsOf(recording: Recording): Json[] {
  return messagesOf(recording).flatMap(({ message }) =>
    message.type === 'user' ? contentOf(message).filter(({ type }) => type === 'tool_result') : [],
  );
}

/** How the blocks of replies are spread over messages. */
function takeBlocks(recording: Recording): Json[] {
  const replies: unknown[] = [];
  return messagesOf(recording).flatMap(({ message }) => {
    if (message.type !== 'assistant' || !isJson(message['message'])) return [];
    const { id, stop_reason } = message['message'];
    if (!replies.includes(id)) replies.push(id);
    const blocks = contentOf(message).map(({ type }) => type);
    return [{ reply: replies.indexOf(id) + 1, blocks, stop_reason: stop_reason ?? null }];
  });
}

/** Results of calls, in their order. A text is kept where it is ours. */
function takeResults(recording: Recording, ids: Ids): Json[] {
  return resultsOf(recording).map(({ tool_use_id, is_error, content }) => ({
    call: ids.tidy(tool_use_id),
    failed: is_error === true,
    says: blocksOf(content).map((block) =>
      block['type'] === 'text' ? oursOf(String(block['text'])) : String(block['type']),
    ),
  }));
}

/** Texts of ours begin with `ours:` and end with a full stop. What an SDK says around one is its own. */
function oursOf(text: string): string {
  const ours = /ours: [^.]*\./.exec(text)?.[0];
  if (ours === undefined) return '<text>';
  return ours === text ? ours : `<text> ${ours}`;
}

/** Which questions the callback got, and what it said. */
function takeAsked({ entries }: Recording, ids: Ids): Json[] {
  return entries.flatMap((entry) => {
    if (entry.at !== 'asked') return [];
    const { name, input, options, answer } = entry;
    const { suggestions = [], toolUseID, agentID, blockedPath } = options;
    const asked = {
      name,
      input,
      suggestions,
      call: toolUseID ?? null,
      ofSubagent: agentID !== undefined,
      blockedPath: blockedPath ?? null,
      answer: 'threw' in answer ? { threw: true, aborted: answer['aborted'] } : answer,
    };
    const tidy = ids.tidy(asked);
    return isJson(tidy) ? [tidy] : [];
  });
}

/** What of a hook's input both SDKs give. */
const hookFields = [
  'tool_name',
  'tool_input',
  'prompt',
  'source',
  'trigger',
  'stop_hook_active',
  'permission_mode',
  'agent_type',
  'message',
];

function takeHooks({ entries }: Recording, ids: Ids): unknown[] {
  return entries.flatMap((entry) => {
    if (entry.at !== 'hook') return [];
    const { event, input, toolUseId, answer } = entry;
    const given = Object.fromEntries(
      hookFields.flatMap((field) => (field in input ? [[field, input[field]]] : [])),
    );
    const has = ['cwd', 'session_id', 'transcript_path', 'tool_response', 'tool_use_id'].filter(
      (field) => field in input,
    );
    // Hooks of other events have an id of nothing else.
    const called = 'tool_name' in input ? { call: toolUseId ?? null } : {};
    return [ids.tidy({ event, ...called, given, has, answer })];
  });
}

/** How each query ended. */
function takeEnd(recording: Recording, ids: Ids): Json[] {
  const threw = new Set(
    recording.entries.flatMap((entry) => (entry.at === 'threw' ? [entry.query] : [])),
  );
  const said = saidBy(recording);
  const ends: Json[] = [];
  for (const { query, message } of messagesOf(recording)) {
    const end = (ends[query - 1] ??= { results: [] });
    if (message.type !== 'result' || !Array.isArray(end['results'])) continue;
    const { subtype, is_error, num_turns, result, structured_output } = message;
    const { permission_denials, terminal_reason, deferred_tool_use } = message;
    const isOurs =
      said.has(result) || result === '' || result === JSON.stringify(structured_output);
    end['results'].push(
      ids.tidy({
        subtype,
        is_error,
        num_turns,
        result: result === undefined ? null : isOurs ? result : '<text>',
        ...(structured_output === undefined ? {} : { structured_output }),
        denied: listOf(permission_denials).map(({ tool_name, tool_input }) => [
          tool_name,
          tool_input,
        ]),
        terminal_reason: terminal_reason ?? null,
        ...(deferred_tool_use === undefined ? {} : { deferred_tool_use }),
      }),
    );
  }
  for (const query of threw) ends[query - 1] ??= { results: [] };
  return Array.from(ends, (end: Json | undefined, index) => ({
    ...(end ?? { results: [] }),
    threw: threw.has(index + 1),
  }));
}

/** Events of each reply, runs of deltas as one, and whether their text is the message's. */
function takeDeltas(recording: Recording, ids: Ids): Json[] {
  const replies = new Map<string, { events: string[]; text: string; said: string }>();
  let current = '';
  for (const { message } of messagesOf(recording)) {
    const event = message['event'];
    if (message.type === 'stream_event' && isJson(event)) {
      if (event['type'] === 'message_start' && isJson(event['message'])) {
        current = String(event['message']['id']);
      }
      const reply = replyOf(replies, current);
      const type = String(event['type']);
      if (type !== 'content_block_delta' || reply.events.at(-1) !== type) reply.events.push(type);
      if (isJson(event['delta'])) reply.text += textOf(event['delta']);
    }
    if (message.type === 'assistant' && isJson(message['message'])) {
      const reply = replyOf(replies, String(message['message']['id']));
      for (const block of contentOf(message)) reply.said += textOf(block);
    }
  }
  return [...replies.values()].map(({ events, text, said }) => ({
    events,
    said: ids.tidy(said),
    equal: text === said,
  }));
}

function replyOf(
  replies: Map<string, { events: string[]; text: string; said: string }>,
  id: string,
): { events: string[]; text: string; said: string } {
  const reply = replies.get(id) ?? { events: [], text: '', said: '' };
  replies.set(id, reply);
  return reply;
}

/** The text of a block or a delta; a call's input is in its JSON's own spelling. */
function textOf({ text, thinking, partial_json, input }: Json): string {
  if (isJson(input) && Object.keys(input).length > 0) return JSON.stringify(input);
  return [text, thinking, partial_json].filter((part) => typeof part === 'string').join('');
}

/** Texts of the model that are not of the SDK itself. */
function saidBy(recording: Recording): Set<unknown> {
  return new Set(
    messagesOf(recording).flatMap(({ message }) =>
      message.type === 'assistant' && message['error'] === undefined
        ? contentOf(message).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
        : [],
    ),
  );
}

/** What the messages at the beginning say of the query: lists of names have those of cases alone. */
function takeInit(recording: Recording, ids: Ids): unknown[] {
  return messagesOf(recording).flatMap(({ message }) => {
    if (message.type !== 'system' || message.subtype !== 'init') return [];
    const { tools, mcp_servers, permissionMode, agents, skills, slash_commands } = message;
    return [
      ids.tidy({
        tools: sorted(tools),
        mcp_servers: listOf(mcp_servers).map(({ name, status }) => ({ name, status })),
        permissionMode,
        agents: ofCases(agents),
        skills: ofCases(skills),
        slash_commands: ofCases(slash_commands),
      }),
    ];
  });
}

function sorted(names: unknown): string[] {
  return Array.isArray(names) ? names.map(String).sort() : [];
}

function ofCases(names: unknown): string[] {
  return sorted(names).filter((name) => name.startsWith('case-'));
}
