/** `useChat` over the transport of the client package, which a test drives by `hook` and reads as JSON. */
import { useChat } from '@ai-sdk/react';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as hasAnswers,
  lastAssistantMessageIsCompleteWithToolCalls as hasOutputs,
  uiMessageChunkSchema,
} from 'ai';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { aiSdkOf, TurnpikeChatTransport } from '../../../src/client/chat-transport.js';

const pickColor = {
  name: 'pick_color',
  description: 'Asks the user for a color.',
  inputSchema: { type: 'object' },
};

const id = location.hash.slice(1);
const aiSdk = await aiSdkOf(uiMessageChunkSchema);
const transport = new TurnpikeChatTransport({
  url: '',
  aiSdk,
  clientTools: [pickColor],
  // The page's proxy does not say that the server behind it died: silence does.
  stallMs: 10_000,
});
const { messages: before, activeTurnId } = await transport.history(id);

function Page(): string {
  const chat = useChat({
    id,
    transport,
    messages: before,
    resume: activeTurnId !== null,
    sendAutomaticallyWhen: (sent) => hasAnswers(sent) || hasOutputs(sent),
    onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) =>
      void chat.addToolOutput({ tool, toolCallId, output: 'blue' }),
  });
  Object.assign(globalThis, { hook: { ...chat, stopTurn: () => transport.stop(id) } });
  const { messages, status, error } = chat;
  return JSON.stringify({ aiSdk, messages, status, error: error?.message });
}

const page = document.getElementById('page');
if (page === null) throw new Error('The page has no place for the chat');
createRoot(page).render(createElement(Page));
