import type { HookQuestion } from '../../../src/tools/tool-hook.js';
import { isPlainObject } from '../../../src/platform/json.js';
import { answerWith, startReceiver, verify, type Receiver } from '../webhooks/start-receiver.js';
import { someSecret } from '../webhooks/store-endpoint.js';

export interface TestHook {
  receiver: Receiver;
  /** The variables of a server that asks it. */
  environment: Record<string, string>;
  /** Answers every question from now on. */
  say(answer: { decision: string; reason?: string }): void;
  /** Verified questions about calls of a tool, in order. */
  about(tool: string): HookQuestion[];
  close(): Promise<void>;
}

/** A tool hook on this machine, which allows everything until it is told otherwise. */
export async function startHook(): Promise<TestHook> {
  const receiver = await startReceiver();
  const say: TestHook['say'] = (answer) => {
    receiver.answer = answerWith(200, {}, JSON.stringify(answer));
  };
  say({ decision: 'allow' });
  return {
    receiver,
    environment: {
      TURNPIKE_TOOL_HOOK_URL: receiver.url,
      TURNPIKE_TOOL_HOOK_SECRET: someSecret,
      TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS: '127.0.0.1:*',
    },
    say,
    close: () => receiver.close(),
    about: (tool) =>
      receiver.received.flatMap((request): HookQuestion[] => {
        const verified = verify(request, someSecret);
        // The server under test made it: its type is what the test is about.
        const data = isPlainObject(verified) ? (verified['data'] as HookQuestion) : undefined;
        return data?.tool === tool ? [data] : [];
      }),
  };
}
