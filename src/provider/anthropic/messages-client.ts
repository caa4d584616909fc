import type Anthropic from '@anthropic-ai/sdk';
import type { ModelDescription } from '../model-catalogue.js';

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

/** A model as a request names it. */
export interface SentModel {
  id: string;
  /** The version of the API, where the model does not take the one of this build. */
  version?: string;
}

/** A cloud whose package and credentials were found. */
export interface OpenCloud {
  create(options: ClientOptions): MessagesClient;
  /** Adds the signature to requests, where the cloud wants one. */
  sign(fetchFrom: typeof fetch): typeof fetch;
  /** How a request names a model. */
  modelSent(name: string): SentModel;
  /** A model by the cloud's name or Anthropic's; undefined: neither is known. */
  describe(name: string): ModelDescription | undefined;
}
