import type { OutputOf, StandardSchema } from '../tools/define/define-tool.js';
import type { JsonObject } from '../platform/json.js';
import { UnsupportedError } from './sdk-errors.js';

/** The fields of a tool's input, each with its schema: what is inside of `z.object({ … })`. */
export type InputShape = Readonly<Record<string, StandardSchema>>;

type InputOf<Shape> = {
  -readonly [Name in keyof Shape]: OutputOf<Shape[Name]>;
};

/** The annotations of MCP. Of a tool that may run again after a crash, one of the first two is true. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  idempotentHint?: boolean;
  destructiveHint?: boolean;
  openWorldHint?: boolean;
  title?: string;
}

/** The output of a tool, as MCP has it. */
export interface CallToolResult {
  content: readonly (Readonly<Record<string, unknown>> & { type: string })[];
  isError?: boolean;
}

/** A tool whose handler runs in the caller's process. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  /** Runs the handler with the parsed input. */
  run(
    input: Readonly<Record<string, unknown>>,
    extra: { signal: AbortSignal },
  ): Promise<CallToolResult>;
}

/** Tools of the caller's process, for `mcpServers`. */
export interface SdkMcpServer {
  readonly type: 'sdk';
  readonly name: string;
  readonly tools: readonly SdkTool[];
}

/**
 * Defines a tool of the caller's process.
 *
 * @param shape the fields of the input, of zod 4.2 or later, or of any library of Standard Schema that makes JSON Schema.
 * @throws UnsupportedError for a field of which no JSON Schema can be made, as of zod 3.
 */
export function tool<const Shape extends InputShape>(
  name: string,
  description: string,
  shape: Shape,
  handler: (input: InputOf<Shape>, extra: { signal: AbortSignal }) => Promise<CallToolResult>,
  { annotations = {} }: { annotations?: ToolAnnotations } = {},
): SdkTool {
  return {
    name,
    description,
    annotations,
    inputSchema: toJsonSchema(name, shape),
    run: async (input, extra) => {
      const parsed = await parse(shape, input);
      if ('fault' in parsed)
        return { content: [{ type: 'text', text: parsed.fault }], isError: true };
      // Each field was parsed by its schema, whose type it has.
      return handler(parsed.input as InputOf<Shape>, extra);
    },
  };
}

/** A server of tools of the caller's process: its tools are `mcp__<server>__<tool>`. */
export function createSdkMcpServer({
  name,
  tools = [],
}: {
  name: string;
  version?: string;
  tools?: readonly SdkTool[];
}): SdkMcpServer {
  return { type: 'sdk', name, tools };
}

function toJsonSchema(name: string, shape: InputShape): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [field, schema] of Object.entries(shape)) {
    const { vendor, jsonSchema } = schema['~standard'];
    if (jsonSchema === undefined) {
      throw new UnsupportedError(
        `The schema of ${field} of the tool ${name}`,
        `this version of ${vendor} makes no JSON Schema by Standard Schema; update it (zod: 4.2 or later)`,
      );
    }
    const { $schema: _dialect, ...described } = jsonSchema.input({ target: 'draft-2020-12' });
    // What makes JSON Schema gives JSON.
    properties[field] = described as JsonObject;
    if (!takesNothing(schema)) required.push(field);
  }
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** Whether the field may be left out: its schema takes undefined, or has a default for it. */
function takesNothing(schema: StandardSchema): boolean {
  const checked = schema['~standard'].validate(undefined);
  // Of a schema that has to wait, nothing is known: the model gives the field.
  return !(checked instanceof Promise) && checked.issues === undefined;
}

async function parse(
  shape: InputShape,
  input: Readonly<Record<string, unknown>>,
): Promise<{ input: Record<string, unknown> } | { fault: string }> {
  const parsed: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [field, schema] of Object.entries(shape)) {
    const checked = await schema['~standard'].validate(input[field]);
    if (checked.issues === undefined) parsed[field] = checked.value;
    else faults.push(...checked.issues.map(({ message }) => `${field}: ${message}`));
  }
  return faults.length === 0
    ? { input: parsed }
    : { fault: `The input is not valid: ${faults.join('; ')}` };
}
