import type Anthropic from '@anthropic-ai/sdk';
import type { ModelDescription } from '../model-catalogue.js';
import type { ModelRequest } from '../model-types.js';

/** The part of the clients that turns use. */
export type MessagesClient = Pick<Anthropic, 'messages' | 'models' | 'baseURL'>;

/** The options that the clients have in common. */
export interface ClientOptions {
  baseURL: string;
  timeout: number;
  maxRetries: number;
  openTelemetry: false;
  logLevel: 'off';
  fetch: typeof fetch;
}

/** A request, and its headers. */
export interface NamedRequest {
  request: ModelRequest;
  headers?: Readonly<Record<string, string>>;
}

/** A cloud whose package and credentials were found. */
export interface OpenCloud {
  create(options: ClientOptions): MessagesClient;
  /** Adds the signature to requests, where the cloud wants one. */
  sign(fetchFrom: typeof fetch): typeof fetch;
  /** A request with the model's name as the cloud has it, and the headers that it needs for that. */
  named(request: ModelRequest): NamedRequest;
  /** A model by the cloud's name or Anthropic's; undefined: neither is known. */
  describe(name: string): ModelDescription | undefined;
}
