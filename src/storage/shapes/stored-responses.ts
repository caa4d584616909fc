import type { JsonObject } from '../../platform/json.js';

/** What a request of the Responses API had that its response gives back, and that no option of a turn has. */
export interface StoredResponsesRequest {
  /** The agent, or the model, that the request named. */
  model: string;
  previousResponseId: string | null;
  instructions: string | null;
  background: boolean;
  toolChoice: 'auto' | 'none';
  /** The format of the text. */
  format: JsonObject;
  effort: string | null;
  summary: string | null;
  maxOutputTokens: number | null;
  serviceTier: 'default' | 'flex';
  metadata: Record<string, string>;
  user: string | null;
  safetyIdentifier: string | null;
  promptCacheKey: string | null;
  /** The items of `input`, files without their bytes. */
  input: JsonObject[];
}
