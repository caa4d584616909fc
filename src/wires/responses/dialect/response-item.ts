/** Items of a response, as the Responses API has them. */

export interface UrlCitation {
  type: 'url_citation';
  url: string;
  title: string;
  /** Characters of the text before the citation; a citation has no length of its own. */
  start_index: number;
  end_index: number;
}

/** A citation of a file, which the open specification does not have. */
export interface FileCitation {
  type: 'file_citation';
  file_id: string;
  filename: string;
  /** Characters of the text before the citation. */
  index: number;
}

export type Annotation = UrlCitation | FileCitation;

export interface OutputText {
  type: 'output_text';
  text: string;
  annotations: readonly Annotation[];
  logprobs: readonly never[];
}

export interface SummaryText {
  type: 'summary_text';
  text: string;
}

export interface MessageItem {
  type: 'message';
  id: string;
  role: 'assistant';
  status: 'in_progress' | 'completed' | 'incomplete';
  content: readonly OutputText[];
}

export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  status: 'in_progress' | 'completed' | 'incomplete';
  /** What the model shows of its thinking. */
  summary: readonly SummaryText[];
}

/** A call that the client runs. */
export interface FunctionCallItem {
  type: 'function_call';
  id: string;
  /** Id of the question, under which the client gives the output. */
  call_id: string;
  name: string;
  /** JSON. */
  arguments: string;
  status: 'in_progress' | 'completed';
}

/** A call of a tool of the client's whose input is text. */
export interface CustomToolCallItem {
  type: 'custom_tool_call';
  id: string;
  /** Id of the question, under which the client gives the output. */
  call_id: string;
  name: string;
  input: string;
  status: 'in_progress' | 'completed';
}

/** A call that the server runs. */
export interface McpCallItem {
  type: 'mcp_call';
  id: string;
  server_label: 'turnpike';
  name: string;
  /** JSON. */
  arguments: string;
  /** `incomplete`: the call goes on in a later response, or ended with its turn. */
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: string | null;
  error: string | null;
  approval_request_id: string | null;
}

/** A call that waits for a person. */
export interface McpApprovalRequestItem {
  type: 'mcp_approval_request';
  /** Id of the question, which the answer names. */
  id: string;
  server_label: 'turnpike';
  name: string;
  /** JSON. */
  arguments: string;
}

export type ResponseItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | CustomToolCallItem
  | McpCallItem
  | McpApprovalRequestItem;
