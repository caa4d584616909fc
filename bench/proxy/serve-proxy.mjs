/**
 * The baseline: a hand-written proxy with Express and the SDK, without durability. The client holds the conversation
 * and sends the whole of it.
 */
import Anthropic from '@anthropic-ai/sdk';
import express from 'express';
import { createServer } from 'node:http';
import { announce } from '../processes/announce.mjs';

const client = new Anthropic({ apiKey: 'bench', baseURL: process.env['MODEL_URL'] });
const app = express();
app.use(express.json({ limit: '10mb' }));

app.post('/turn', async (request, response) => {
  response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  response.flushHeaders();
  /** @param {object} event */
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const stream = client.messages.stream({
    model: 'bench',
    max_tokens: 4_096,
    messages: request.body.messages,
  });
  response.on('close', () => stream.abort());
  try {
    for await (const event of stream) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
        send({ type: 'delta', text: event.delta.text });
      }
    }
    const message = await stream.finalMessage();
    send({ type: 'end', stopReason: message.stop_reason, usage: message.usage });
  } catch (error) {
    send({ type: 'error', message: error instanceof Error ? error.message : String(error) });
  }
  response.end();
});

announce(createServer(app));
