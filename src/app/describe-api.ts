import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { typeSchemas } from '../http/fields/json-schemas.js';
import { envelopeShape } from '../http/errors/error-shape.js';
import { answerErrors } from './answer-errors.js';
import { apiShapes } from './api-shapes.js';
import type { ErrorShapes } from './harness-error.filter.js';

const about = `An agent turn server. Post a turn to a session, read a stream of events, resume it by cursor.
Every error is \`{error: {type, message, details?}}\`; the routes of agents answer with problem details (RFC 7807).`;

const tags: Record<string, string> = {
  turns: 'Run turns, follow them, end them.',
  sessions: 'Create, check, list and read sessions.',
  conversations:
    'What was said and done in a session: messages, turns, model calls, tool calls, events.',
  replays: 'Turns that are run again on recorded results, and turns side by side.',
  approvals: 'Questions that turns wait for, and their answers.',
  attachments: 'Files for later turns.',
  models: 'Models that turns may name.',
  tokens: 'Tokens for pages of your users, each for minutes.',
  tools: 'Tools that turns may have.',
  feedback: 'What callers think of turns.',
  mcp: 'Your agents as an MCP server: tools that start, read, answer and cancel turns.',
  'mcp-logins': 'Log-ins of people at MCP servers.',
  memory: 'Files that agents keep for a principal between conversations.',
  settings: "A user's preferences for turns that say nothing else.",
  callers: 'Who a caller is.',
  usage: 'What a caller has used of its limits.',
  agents: 'The wire of named agents.',
  'ag-ui': 'The AG-UI protocol.',
  'ai-sdk': "The chat protocol of Vercel's AI SDK.",
  responses: 'The Responses API, for clients of OpenAI’s packages.',
  oracle: 'The wire of questions to a project.',
  webhooks: 'URLs that events of turns are sent to, and what was sent.',
  schedules: 'Turns at times of a clock, and what came of each.',
  transfer: 'Sessions as files, to keep or to move.',
  admin: 'API keys, principals, the audit log and the queue, for operators.',
  ops: 'What watches the process.',
};

/** The operations of a handler with two paths: each has an id of its own. */
const ofTwoPaths: Record<string, string> = {
  '/agent/{name}/chat': 'askAgent',
  '/agent/{name}/chat/multipart': 'askAgentByForm',
  '/agent/{name}/chat/stream': 'streamAgent',
  '/agent/{name}/chat/stream/multipart': 'streamAgentByForm',
  '/awp': 'runDefaultAgent',
};

/** Where Nest keeps the names of a class's fields. */
const FIELDS = 'swagger/apiModelPropertiesArray';

/** Gives Nest what doc comments and types say, before it makes a document. */
export async function loadShapes(): Promise<void> {
  await SwaggerModule.loadPluginMetadata(() => Promise.resolve({ '@nestjs/swagger': apiShapes }));
  const own = new Map<unknown, string[]>();
  for (const [file, classes] of apiShapes.models) {
    for (const [name, said] of Object.entries(classes)) own.set(file[name], Object.keys(said));
  }
  for (const type of own.keys()) {
    const { prototype } = type as { prototype: object };
    // In the order of the class: Nest puts fields that have decorators first.
    Reflect.defineMetadata(FIELDS, fieldsOf(prototype, own), prototype);
  }
}

/** Names of the fields of a class with a mark, inherited ones first. */
function fieldsOf(prototype: object, own: ReadonlyMap<unknown, string[]>): string[] {
  if (prototype === Object.prototype) return [];
  const above = fieldsOf(Object.getPrototypeOf(prototype) as object, own);
  const said = own.get(prototype.constructor)?.map((name) => `:${name}`);
  const decorated = Reflect.getOwnMetadata(FIELDS, prototype) as string[] | undefined;
  return [...new Set([...above, ...(said ?? decorated ?? [])])];
}

/** The API's document, in the form of OpenAPI. @param shapes of the errors of each path. */
export function describeApi(
  app: INestApplication,
  version: string,
  shapes: Pick<ErrorShapes, 'of'>,
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Turnpike')
    .setDescription(about)
    .setVersion(version)
    .setOpenAPIVersion('3.2.0')
    .addServer('/', 'This server')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'header')
    // A request sends its key in one of the two ways; a server without keys asks for none.
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('header');
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [...envelopeShape.models],
    operationIdFactory: (_controller, method) => method,
  });
  const { components = {} } = document;
  document.components = { ...components, schemas: { ...typeSchemas, ...components.schemas } };
  for (const [path, operationId] of Object.entries(ofTwoPaths)) {
    const operation = document.paths[path]?.post;
    if (operation !== undefined) operation.operationId = operationId;
  }
  for (const [path, { get, put, post, patch, delete: remove }] of Object.entries(document.paths)) {
    for (const operation of [get, put, post, patch, remove]) {
      if (operation !== undefined) answerErrors(operation, shapes.of(path));
    }
  }
  return document;
}

/**
 * The document as OpenAPI 3.1, which has no `itemSchema`: a stream is a text there, and its frames have their schemas
 * in the components. Pure.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return { ...(withoutItems(document) as OpenAPIObject), openapi: '3.1.1' };
}

function withoutItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutItems);
  if (typeof value !== 'object' || value === null) return value;
  const { itemSchema, ...others } = value as { itemSchema?: unknown };
  const rest = Object.entries(others).map(([name, field]) => [name, withoutItems(field)]);
  return Object.fromEntries(itemSchema === undefined ? rest : [['schema', textStream], ...rest]);
}

const textStream = { type: 'string', description: 'An event stream.' };
