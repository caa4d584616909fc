import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { WireError } from '../http/wire-error.js';
import type { RequestBlock } from '../request-types.js';
import type { WireEvent } from '../reply/reply-plan.js';
import { parseSignature, signThinking } from '../thinking/sign-thinking.js';
import {
  Conversation,
  dataFrame,
  inputOf,
  jsonObject,
  messagesRequest,
  parseForm,
  pathOf,
  type MakerWire,
  type ReplyIds,
  type TakenRequest,
} from './maker-wire.js';

/**
 * Google's `streamGenerateContent` ({ai.google.dev/api/generate-content}). Calls have no ids: a result answers the
 * call in its place, and a call goes back with the signature of its thinking.
 */
export const generateContent: MakerWire = {
  checkHeaders: (headers: IncomingHttpHeaders) => {
    if (headers['x-goog-api-key'] !== undefined) return;
    throw new WireError(
      403,
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    );
  },
  take: (body, path) => take(parseForm(requestForm, body, explainIssue), path),
  encoder,
  tooLong: (prompt, window) =>
    `The input token count (${prompt}) exceeds the maximum number of tokens allowed (${window}).`,
  errorBody: (error) => ({ error: errorObject(error) }),
  errorFrame: (error) => dataFrame({ error: errorObject(error) }),
};

const part = z.union([
  z.strictObject({
    text: z.string(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }) }),
  z.strictObject({ fileData: z.strictObject({ mimeType: z.string(), fileUri: z.string() }) }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name: z.string(), args: jsonObject }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      response: jsonObject,
      parts: z.array(z.unknown()).optional(),
    }),
  }),
]);
const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });
type Content = z.output<typeof content>;

const requestForm = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string() })) })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().positive().optional(),
      temperature: z.number().optional(),
      topP: z.number().optional(),
      topK: z.number().optional(),
      seed: z.number().optional(),
      stopSequences: z.array(z.string()).max(5).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: jsonObject.optional(),
      responseJsonSchema: jsonObject.optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.number().optional(),
          thinkingLevel: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
            description: z.string(),
            parameters: jsonObject.optional(),
            parametersJsonSchema: jsonObject.optional(),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
        allowedFunctionNames: z.array(z.string()).optional(),
      }),
    })
    .optional(),
});

function take(form: z.output<typeof requestForm>, path: string): TakenRequest {
  const model = /models\/([^/:]+):/.exec(path)?.[1] ?? '';
  const { systemInstruction, generationConfig: config, tools = [], toolConfig } = form;
  const request = messagesRequest({
    model,
    system: (systemInstruction?.parts ?? []).map(({ text }) => text),
    conversation: readContents(form.contents),
    maxTokens: config?.maxOutputTokens,
    tools: tools.flatMap((one) => one.functionDeclarations),
    callsTools: toolConfig?.functionCallingConfig.mode !== 'NONE',
    schema: config?.responseJsonSchema ?? config?.responseSchema,
  });
  return { model, request, countsUsage: 'last-frame' };
}

/** @throws WireError for calls and results that are not as many, and for calls without their signature. */
function readContents(contents: readonly Content[]): Conversation {
  const conversation = new Conversation();
  let open: string[] = [];
  contents.forEach(({ role, parts }, index) => {
    const results = parts.filter((one) => 'functionResponse' in one).length;
    if (results !== open.length) {
      throw new WireError(
        400,
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
    const calls: string[] = [];
    for (const [at, one] of parts.entries()) {
      if ('functionCall' in one) {
        // The first call of a reply has the signature for all of them.
        if (calls.length === 0) checkSignature(one, `contents[${index}].parts[${at}]`);
        calls.push(`call_${index}_${at}`);
      }
      const id = 'functionCall' in one ? calls.at(-1) : open[at];
      conversation.add(role === 'model' ? 'assistant' : 'user', ...blocksOf(one, id ?? ''));
    }
    open = calls;
  });
  return conversation;
}

function checkSignature(
  { functionCall: { name }, thoughtSignature: data = '' }: Extract<Part, { functionCall: unknown }>,
  at: string,
): void {
  if (data === '') {
    throw new WireError(
      400,
      `Function call \`${name}\` in ${at} is missing a thought_signature. This is required for tools to work correctly.`,
    );
  }
  if (typeof parseSignature({ type: 'redacted_thinking', data }) === 'string') {
    throw new WireError(400, `Corrupted thought signature in ${at}.`);
  }
}

type Part = z.output<typeof part>;

function blocksOf(one: Part, id: string): RequestBlock[] {
  if ('text' in one) return one.thought === true ? [] : [{ type: 'text', text: one.text }];
  if ('functionCall' in one) {
    const { name, args: input } = one.functionCall;
    return [{ type: 'tool_use', id, name, input }];
  }
  if ('functionResponse' in one) {
    const { response } = one.functionResponse;
    const said = response['content'] ?? response['output'] ?? response;
    const content = typeof said === 'string' ? said : JSON.stringify(said);
    return [{ type: 'tool_result', tool_use_id: id, content }];
  }
  const mimeType = 'inlineData' in one ? one.inlineData.mimeType : one.fileData.mimeType;
  const type = mimeType.startsWith('image/') ? 'image' : 'document';
  return [{ type, source: { type: 'base64', media_type: mimeType } }];
}

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: 'MAX_TOKENS',
  model_context_window_exceeded: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

function encoder({ id, model, prompt }: ReplyIds) {
  let call: { name: string; json: string } | undefined;
  const prefix = { system: '', tools: '', messages: '' };
  // Of the thinking that was shown, or of that which never is.
  let signature = signThinking({ model, reply: id, index: 0, after: '', depth: 0, prefix }, '');
  const chunk = (parts: readonly object[], rest: object = {}): string =>
    dataFrame({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
      modelVersion: model,
      responseId: id,
    });
  return (event: WireEvent): string => {
    switch (event.type) {
      case 'content_block_start': {
        const { content_block: block } = event;
        call = block.type === 'tool_use' ? { name: block.name, json: '' } : undefined;
        return '';
      }
      case 'content_block_delta': {
        const { delta } = event;
        if (delta.type === 'text_delta') return chunk([{ text: delta.text }]);
        if (delta.type === 'thinking_delta')
          return chunk([{ text: delta.thinking, thought: true }]);
        if (delta.type === 'signature_delta') ({ signature } = delta);
        else if (delta.type === 'input_json_delta' && call !== undefined)
          call.json += delta.partial_json;
        return '';
      }
      case 'content_block_stop': {
        if (call === undefined) return '';
        const functionCall = { name: call.name, args: inputOf(call.json) };
        const thoughtSignature = signature;
        signature = '';
        return chunk([{ functionCall, ...(thoughtSignature !== '' && { thoughtSignature }) }]);
      }
      case 'message_delta': {
        const { output_tokens: candidatesTokenCount } = event.usage;
        const finishReason = finishReasons[event.delta.stop_reason ?? ''] ?? 'STOP';
        return dataFrame({
          candidates: [
            { content: { role: 'model', parts: [{ text: '' }] }, index: 0, finishReason },
          ],
          usageMetadata: {
            promptTokenCount: prompt,
            candidatesTokenCount,
            totalTokenCount: prompt + candidatesTokenCount,
          },
          modelVersion: model,
          responseId: id,
        });
      }
      case 'message_start':
      case 'message_stop':
      case 'ping':
      case 'error':
        return '';
    }
  };
}

const statuses: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

function errorObject({ status: code, message }: WireError) {
  return { code, message, status: statuses.get(code) ?? 'INTERNAL' };
}

function explainIssue(issue: z.core.$ZodIssue): string {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const at = path === '' ? '' : ` at '${path}'`;
    return `Invalid JSON payload received. Unknown name "${issue.keys[0] ?? ''}"${at}: Cannot find field.`;
  }
  return `Invalid value at '${path}': ${issue.message}.`;
}
