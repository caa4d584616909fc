import { ApiResponse, getSchemaPath, type ApiResponseSchemaHost } from '@nestjs/swagger';
import type { Schema } from '../errors/error-shape.js';
import type { JsonSchema } from '../fields/json-schemas.js';
import streams from '../fields/api-types.json' with { type: 'json' };

export interface StreamDescription {
  /** The wire whose recordings are the examples. */
  wire: keyof typeof streams.examples;
  /** Markdown. */
  description: string;
  /** Schemas of the frames: a frame has one of them. */
  frames: readonly JsonSchema[];
  /** Answers of the same status and other media types. */
  others?: Record<string, { schema: Schema }>;
}

/** Frames of a wire that names them: name → schema of its data. */
const named = {
  HarnessFrames: streams.schemas.HarnessFrames.properties,
  HolodeckFrames: streams.schemas.HolodeckFrames.properties,
};

export const harnessFrames: Readonly<
  Record<string, { type: string; properties?: object; required?: readonly string[] }>
> = named.HarnessFrames;

/** Documents the stream of a route: frame by frame, as OpenAPI 3.2 has it, with recorded streams. */
export function ApiStream({ wire, description, frames, others }: StreamDescription) {
  const itemSchema = frames.length === 1 ? frames[0] : { anyOf: frames };
  const stream = { itemSchema, examples: streams.examples[wire] };
  const content: ApiResponseSchemaHost['content'] = { 'text/event-stream': stream, ...others };
  return ApiResponse({ status: 200, description, content });
}

/** The frames of a wire that names them. @param component has the data by name. */
export function namedFrames(component: keyof typeof named): JsonSchema[] {
  return Object.keys(named[component]).map((name) => frameOf(dataOf(component, name), name));
}

/** The schema of a named frame's data. */
export function dataOf(component: keyof typeof named, name: string): JsonSchema {
  return { $ref: `${getSchemaPath(component)}/properties/${name}` };
}

/** A frame whose data is a line of JSON. @param name absent: its frames have none. */
export function frameOf(data: JsonSchema, name?: string): JsonSchema {
  const event = name === undefined ? {} : { event: { const: name } };
  const line = { type: 'string', contentMediaType: 'application/json', contentSchema: data };
  return frame({ ...event, data: line });
}

/** A frame whose data is this text. */
export function textFrame(text: string): JsonSchema {
  return frame({ data: { const: text } });
}

function frame(fields: JsonSchema): JsonSchema {
  const properties = { ...fields, id: { type: 'string', description: 'Cursor of the frame.' } };
  return { type: 'object', required: Object.keys(properties), properties };
}
