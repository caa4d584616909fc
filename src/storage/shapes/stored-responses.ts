import type { JsonObject } from '../../platform/json.js';
import type { ClientTool } from './stored-options.js';

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
  /** Verbosity of the text. Absent: none was named. */
  verbosity?: 'low' | 'medium' | 'high';
  /** Absent: true. */
  parallelToolCalls?: boolean;
  /** Whether the response can be asked for once it has ended. Absent: it can. */
  store?: boolean;
  /** Whether the client cannot take approvals as items: it is told of them as text. Absent: it can. */
  hidesApprovals?: boolean;
  /** Names of the client's tools that take text. Absent: none. */
  customTools?: string[];
  /** Messages of `system` and `developer` up to here, which later responses of the conversation have too. */
  developer?: string[];
  /** The items of `input`, files without their bytes. */
  input: JsonObject[];
  /** The client's tools of this request, where a later one changed them. Absent: those of the options. */
  firstTools?: ClientTool[];
  /** Ids of responses of the turn that were deleted. Absent: none. */
  deleted?: string[];
  /** Requests that answered what the turn asked, and changed its terms. Absent: none. */
  answers?: StoredResponsesAnswer[];
}

/** A request that answered what a turn asked. */
export interface StoredResponsesAnswer {
  /** The approvals that it answered. */
  answered: string[];
  request: Omit<StoredResponsesRequest, 'answers'>;
  /** The client's tools from then on. */
  tools: ClientTool[];
}
