import type {
  ExtensionCall,
  ExtensionOutput,
  ExtensionTool,
  JsonObject,
} from '../extensions/extend.js';

export type { ExtensionCall as ToolCall } from '../extensions/extend.js';

/**
 * The parts of Standard Schema 1.1 (https://standardschema.dev) that are used here; its authors advise to copy them. Zod,
 * Valibot, ArkType and others make such schemas.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    /** Makes JSON Schema. A vendor may have none. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of a schema's values after parsing. */
export type OutputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? Exclude<Types, undefined> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Record<string, unknown>;

/** A tool's failure whose message is written for the model and passed on as it is. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** A part of an output. `data` is bytes, or base64; the type of a picture is found by its bytes. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: Uint8Array | string; readonly name?: string };

/** Text for the model; any JSON, which is shown as such; or texts and pictures in their order. */
export type ToolResult = string | { readonly content: readonly ToolContent[] } | JsonResult;

type JsonResult =
  | number
  | boolean
  | null
  | undefined
  | readonly unknown[]
  | { readonly [name: string]: unknown };

export interface DefinedTool<Schema extends StandardSchema | JsonObject> extends Pick<
  ExtensionTool,
  'description' | 'effect' | 'retry' | 'permissionArgument' | 'timeoutMs'
> {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`. Default: the name of its file. */
  name?: string;
  /** A schema of zod 4 or another library of Standard Schema that makes JSON Schema, or a JSON Schema. */
  input: Schema;
  /**
   * Runs a call with the parsed input.
   *
   * @throws ToolFailure with a text for the model; any other error is logged, and the model reads its message.
   */
  run(input: OutputOf<Schema>, call: ExtensionCall): ToolResult | Promise<ToolResult>;
}

/** A tool as `defineTool` makes it; one in a folder of tools has its name from its file. */
export type Tool = Omit<ExtensionTool, 'name'> & { readonly name?: string };

/**
 * Defines a tool with typed input. Rules, ledger and approvals see the input as the model sent it; it is parsed when the
 * call runs, and again where it runs again.
 *
 * @throws TypeError for a schema of which no JSON Schema can be made.
 */
export function defineTool<const Schema extends StandardSchema | JsonObject>(
  tool: DefinedTool<Schema> & { name: string },
): ExtensionTool;
export function defineTool<const Schema extends StandardSchema | JsonObject>(
  tool: DefinedTool<Schema>,
): Tool;
export function defineTool<const Schema extends StandardSchema | JsonObject>(
  tool: DefinedTool<Schema>,
): Tool {
  const { input: schema, run, ...described } = tool;
  // Where JavaScript leaves out a part, the server names it.
  if (!isObject(schema) || typeof run !== 'function') {
    return { ...described, inputSchema: schema, run } as Tool;
  }
  const inputSchema = jsonSchemaOf(schema, tool.name ?? 'a tool');
  return {
    ...described,
    inputSchema,
    run: async (input, call) => {
      const parsed = await parseInput(schema, input);
      // Checked by the schema, whose type this is.
      return toOutput(await run.call(tool, parsed as OutputOf<Schema>, call));
    },
  };
}

/** The parts of a tool of the AI SDK 6 or 7 that are used. */
export interface AiSdkTool {
  description?: string | ((options: never) => string) | undefined;
  inputSchema: unknown;
  execute?: ((input: never, options: never) => unknown) | undefined;
  needsApproval?: unknown;
}

/**
 * Makes a tool of one of the AI SDK: `fromAiSdkTool('weather', weather, { effect: 'read' })`.
 *
 * @throws TypeError for one without `execute`, with `needsApproval`, as rules decide here, or with a description that is
 *   made for each call.
 */
export function fromAiSdkTool(
  name: string,
  tool: AiSdkTool,
  traits: Pick<ExtensionTool, 'effect' | 'retry' | 'permissionArgument' | 'timeoutMs'> = {},
): ExtensionTool {
  const { description, inputSchema, execute, needsApproval } = tool;
  if (execute === undefined) {
    throw new TypeError(`${name} has no execute: let a client run it, as one of its clientTools`);
  }
  if (needsApproval !== undefined && needsApproval !== false) {
    throw new TypeError(
      `${name} has needsApproval: leave it out, and write a rule \`ask: ["${name}"]\``,
    );
  }
  if (typeof description === 'function') {
    throw new TypeError(`${name} has a function as its description: give it one text`);
  }
  // `jsonSchema()` of the AI SDK has a schema beside its own way of checking.
  const isOwn = isObject(inputSchema) && isObject(inputSchema['jsonSchema']);
  const input = (isOwn ? inputSchema['jsonSchema'] : inputSchema) as StandardSchema | JsonObject;
  return defineTool({
    name,
    description: description ?? name,
    input,
    ...traits,
    run: async (value, { callId, signal }) => {
      const options = { toolCallId: callId, messages: [], abortSignal: signal };
      const output = await execute(value as never, options as never);
      return (isAsyncIterable(output) ? await lastOf(output) : output) as ToolResult;
    },
  });
}

function isStandard(schema: StandardSchema | JsonObject): schema is StandardSchema {
  return '~standard' in schema;
}

function jsonSchemaOf(schema: StandardSchema | JsonObject, name: string): JsonObject {
  if (!isStandard(schema)) return schema;
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `${name}: this version of ${vendor} makes no JSON Schema by Standard Schema. Update it (zod: 4.2 or later), or give a JSON Schema as input`,
    );
  }
  return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
}

async function parseInput(
  schema: StandardSchema | JsonObject,
  input: JsonObject,
): Promise<unknown> {
  // The server has checked it against a JSON Schema.
  if (!isStandard(schema)) return input;
  const result = await schema['~standard'].validate(input);
  if (result.issues === undefined) return result.value;
  throw new ToolFailure(`The input is not valid: ${result.issues.map(describeIssue).join('; ')}`);
}

function describeIssue({ message, path = [] }: Issue): string {
  const names = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return names.length === 0 ? message : `${names.join('.')}: ${message}`;
}

function toOutput(result: ToolResult): ExtensionOutput {
  if (typeof result === 'string') return result;
  if (isObject(result) && Array.isArray(result['content'])) {
    return (result['content'] as ToolContent[]).map((part) =>
      part.type === 'image'
        ? {
            type: 'file' as const,
            data: part.data,
            ...(part.name === undefined ? {} : { name: part.name }),
          }
        : part,
    );
  }
  return JSON.stringify(result) ?? 'done';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

/** The AI SDK's tools may report on the way: the last value is the result. */
async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of values) last = value;
  return last;
}
