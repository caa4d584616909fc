/** The parts of the API's document that tests look at. */

interface Content {
  schema?: object;
  itemSchema?: object;
  examples?: Record<string, object>;
}

export interface Answer {
  description: string;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; required?: boolean; schema?: object }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Answer>;
}

export interface ApiDocument {
  openapi: string;
  servers: unknown[];
  security: Record<string, unknown>[];
  tags: { name: string; description: string }[];
  components: {
    securitySchemes: Record<string, unknown>;
    schemas: Record<string, { properties: Record<string, unknown> }>;
  };
  paths: Record<string, Record<string, Operation>>;
}

/** A JSON body as the document. */
export function asDocument(body: unknown): ApiDocument {
  return body as ApiDocument;
}

/** Every operation, with its route. */
export function operationsOf({ paths }: ApiDocument): { route: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method} ${path}`,
      operation,
    })),
  );
}
