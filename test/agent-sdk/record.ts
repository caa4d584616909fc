import type {
  AgentSdk,
  Answer,
  CanUseTool,
  Hook,
  HookMatcher,
  Json,
  Message,
  Query,
  QueryOptions,
  UserInput,
} from './agent-sdk.js';
import type { Case, Place } from './case.js';

/** What happened in a case, in order. It is JSON. */
export type Entry =
  | { at: 'prompt'; text: string }
  | { at: 'message'; query: number; message: Message }
  | { at: 'asked'; name: string; input: Json; options: Json; answer: Json }
  | { at: 'hook'; event: string; input: Json; toolUseId?: string; answer: Json }
  | { at: 'threw'; query: number; error: Fault }
  | { at: 'note'; what: string; value: unknown }
  | { at: 'returned'; value: unknown }
  | { at: 'failed'; error: Fault };

interface Fault {
  name: string;
  message: string;
}

/** Tools that a case has if it does not say which. */
const TOOLS = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash'];

/**
 * Runs a case's program and tells what happens, each entry as it happens.
 *
 * @param folder the project's.
 */
export async function recordCase(
  { run }: Pick<Case, 'run'>,
  sdk: AgentSdk,
  folder: string,
  tell: (entry: Entry) => void,
): Promise<void> {
  const options = (more: QueryOptions = {}): QueryOptions => ({
    cwd: folder,
    permissionMode: 'default',
    settingSources: [],
    tools: TOOLS,
    ...more,
  });
  const place: Place = {
    folder,
    options,
    note: (what, value = null) => tell({ at: 'note', what, value }),
    ask: async (sdk, prompt, more) => {
      const query = sdk.query({ prompt, options: options(more) });
      const uuids: { type: string; uuid: string }[] = [];
      let sessionId = '';
      let threw = false;
      try {
        for await (const { type, uuid, session_id } of query) {
          if (uuid !== undefined) uuids.push({ type, uuid });
          if (sessionId === '') sessionId = session_id ?? '';
        }
      } catch {
        // The recording of the query has the error.
        threw = true;
      }
      return { query, sessionId, uuids, threw };
    },
  };
  try {
    const value = await run(recordSdk(sdk, tell), place);
    tell({ at: 'returned', value: value ?? null });
  } catch (error) {
    tell({ at: 'failed', error: faultOf(error) });
  }
}

/** The SDK, with all that its queries yield, ask and throw told. */
function recordSdk(sdk: AgentSdk, tell: (entry: Entry) => void): AgentSdk {
  let queries = 0;
  return {
    ...sdk,
    query: ({ prompt, options = {} }) => {
      queries += 1;
      const asked = { prompt: recordPrompt(prompt, tell), options: recordCallbacks(options, tell) };
      const made = sdk.query(asked);
      return recordQuery(made, queries, tell);
    },
  };
}

function recordPrompt(
  prompt: string | AsyncIterable<UserInput>,
  tell: (entry: Entry) => void,
): string | AsyncIterable<UserInput> {
  if (typeof prompt === 'string') {
    tell({ at: 'prompt', text: prompt });
    return prompt;
  }
  return (async function* read() {
    for await (const input of prompt) {
      const { content } = input.message;
      if (typeof content === 'string') tell({ at: 'prompt', text: content });
      yield input;
    }
  })();
}

function recordQuery(query: Query, number: number, tell: (entry: Entry) => void): Query {
  async function* read(): AsyncGenerator<Message, void> {
    try {
      for await (const message of query) {
        tell({ at: 'message', query: number, message });
        yield message;
      }
    } catch (error) {
      tell({ at: 'threw', query: number, error: faultOf(error) });
      throw error;
    }
  }
  return Object.assign(read(), {
    interrupt: () => query.interrupt(),
    setModel: (model?: string) => query.setModel(model),
    setPermissionMode: (mode: Parameters<Query['setPermissionMode']>[0]) =>
      query.setPermissionMode(mode),
    close: () => query.close?.(),
  });
}

function recordCallbacks(options: QueryOptions, tell: (entry: Entry) => void): QueryOptions {
  const { canUseTool, hooks } = options;
  return {
    ...options,
    ...(canUseTool === undefined ? {} : { canUseTool: recordAsked(canUseTool, tell) }),
    ...(hooks === undefined
      ? {}
      : {
          hooks: Object.fromEntries(
            Object.entries(hooks).map(([event, matchers]) => [
              event,
              (matchers ?? []).map((matcher) => recordMatcher(matcher, event, tell)),
            ]),
          ),
        }),
  };
}

function recordAsked(canUseTool: CanUseTool, tell: (entry: Entry) => void): CanUseTool {
  return async (name, input, asked) => {
    const { signal, ...options } = asked;
    const entry = { at: 'asked' as const, name, input, options };
    try {
      const answer: Answer = await canUseTool(name, input, asked);
      tell({ ...entry, answer: { ...answer } });
      return answer;
    } catch (error) {
      tell({ ...entry, answer: { threw: faultOf(error).message, aborted: signal.aborted } });
      throw error;
    }
  };
}

function recordMatcher(
  matcher: HookMatcher,
  event: string,
  tell: (entry: Entry) => void,
): HookMatcher {
  const recorded = (hook: Hook): Hook => {
    return async (input, toolUseId, given) => {
      const entry = {
        at: 'hook' as const,
        event,
        input,
        ...(toolUseId === undefined ? {} : { toolUseId }),
      };
      try {
        const answer = await hook(input, toolUseId, given);
        tell({ ...entry, answer });
        return answer;
      } catch (error) {
        tell({ ...entry, answer: { threw: faultOf(error).message } });
        throw error;
      }
    };
  };
  return { ...matcher, hooks: matcher.hooks.map(recorded) };
}

function faultOf(error: unknown): Fault {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: typeof error, message: String(error) };
}
